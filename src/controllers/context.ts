/**
 * What every controller works with, and what it may assume of the release it belongs to.
 */
import type { Env } from '../base/env.ts';
import type { Caches, EventRecorder, Kube } from '../kubernetes/client/index.ts';
import type { ControllerSettings } from './settings.ts';

export type Context = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Pick<Env, 'clock' | 'log'>;
  /** Events under the name of a component. */
  readonly eventsOf: (component: string) => EventRecorder;
  readonly settings: ControllerSettings;
  readonly release: Release;
};

/** Written on what is generated; what another release generated is not built upon. */
export type Release = {
  /** The full text: `millwright 0.1.0`. */
  readonly version: string;
  /** A digest of the build. */
  readonly controllerVersion: string;
  /** The release that images must belong to; see the ConfigMap `machine-config-osimageurl`. */
  readonly releaseVersion: string;
};
