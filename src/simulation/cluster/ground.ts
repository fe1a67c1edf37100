/**
 * What all parts of a simulated cluster stand on.
 */
import type { ApiServer, Store } from '../../embedded/apiserver/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import type { DaemonSettings } from '../../node/daemon/index.ts';
import type { Network } from '../network.ts';
import type { Trace } from '../trace.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import type { SimulatedRegistry } from './os-images.ts';
import type { Pace } from './pace.ts';

export type Ground = {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  readonly store: Store;
  readonly server: ApiServer;
  readonly network: Network;
  readonly registry: SimulatedRegistry;
  readonly pace: Pace;
  readonly daemonSettings: DaemonSettings;
  /** Images are built: there are a builder, build pods, and Kubernetes' garbage collector, for which owners have to be right. */
  readonly isImageMode: boolean;
  /** Of the components. */
  readonly namespace: string;
  /** Of administrators and of Kubernetes itself: nothing of theirs is lost. */
  readonly kube: Kube;
  /** Of Kubernetes' own controllers and of people: aborted when the simulation ends. */
  readonly signal: AbortSignal;
  /** A process ended because our code is wrong. */
  readonly onBug: (error: Error) => void;
};
