/**
 * The dependencies of a daemon.
 */
import type { Clock, Env } from '../../base/env.ts';
import type { Caches, EventRecorder, Kube } from '../../kubernetes/client/index.ts';
import type { Host } from '../host/index.ts';
import type { FeatureGates } from '../report/index.ts';
import type { DaemonLog } from './daemon-log.ts';
import type { DaemonMetrics } from './metrics.ts';
import type { DaemonSettings } from './settings.ts';

export type DaemonContext = {
  readonly kube: Kube;
  readonly caches: Caches;
  /** Of this boot. */
  readonly host: Host;
  readonly env: Env;
  readonly nodeName: string;
  readonly settings: DaemonSettings;
  readonly log: DaemonLog;
  /** Upstream's, in the namespace of the operator. */
  readonly events: EventRecorder;
  /** In `default`, where `kubectl describe node` looks for events of a Node. */
  readonly nodeEvents: EventRecorder;
  readonly metrics: DaemonMetrics;
  readonly featureGates?: FeatureGates;
  /** In the machine's own notation; absent where it is unknown. */
  readonly architecture?: string;
};

/** The dependencies of a part of a step. */
export type HostContext = Pick<DaemonContext, 'host' | 'log'>;

/** Of work that is done in pieces. */
export type PausingContext = Pick<DaemonContext, 'host'> & {
  readonly env: { readonly clock: Pick<Clock, 'pause'> };
};

/** The dependencies of a step. */
export type StepDependencies = HostContext & PausingContext;
