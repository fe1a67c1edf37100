/**
 * The dependencies of every controller, and the release that it belongs to.
 */
import type { Env } from '../base/env.ts';
import type { Caches, EventRecorder, Kube } from '../kubernetes/client/index.ts';
import type { Metrics } from '../kubernetes/metrics/index.ts';
import type { ControllerSettings } from './settings.ts';

export type Context = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Pick<Env, 'clock' | 'log'>;
  /**
   * The event recorder of a component. `namespace`: of events about cluster-scoped objects, by default that of the components,
   * as upstream. `kubectl describe` finds such events in `default` alone.
   */
  readonly eventsOf: (component: string, namespace?: string) => EventRecorder;
  readonly settings: ControllerSettings;
  readonly release: Release;
  /** With the definitions of the component; of this term of leadership. */
  readonly metrics: Metrics;
};

/** Recorded on generated objects; those of another release are not used. */
export type Release = {
  /** Name and version: `millwright 0.1.0`. */
  readonly version: string;
  /** A digest of the build. */
  readonly controllerVersion: string;
  /** The release that images must belong to; see the ConfigMap `machine-config-osimageurl`. */
  readonly releaseVersion: string;
};
