/**
 * A checker watches a simulation and names what must never happen. It sees every state that was ever stored, however short-lived, and reads
 * objects as raw JSON: what decides about them in the product must not decide whether they are right.
 */
import type { SimulatedCluster } from '../cluster/cluster.ts';
import type { People } from '../scenario/carry-out.ts';
import type { ObservedState, StoredChange } from './observed-state.ts';

export interface Checker {
  /** A constant name: `too many nodes`. */
  readonly name: string;
  /** Something was stored. The state is the one before it. */
  onStored?(change: StoredChange): void;
  /** The same change once its writer is known, a little later. */
  onWritten?(change: StoredChange, actor: string): void;
  /** A write was served: `DELETE /api/v1/…`. */
  onRequest?(request: { readonly method: string; readonly path: string }, actor: string): void;
  /** A daemon asks its machine to reboot. */
  onReboot?(node: string): void;
  /** All faults have ended. */
  onPeace?(): void;
  /** Everything has converged. */
  atEnd?(): Promise<void> | void;
}

export type CheckerContext = {
  readonly cluster: SimulatedCluster;
  readonly state: ObservedState;
  readonly people: People;
  readonly violate: (text: string) => void;
};

/**
 * How old the knowledge may be that a controller acts on: late news of a watch, a request on its way. What was true this long ago is no
 * excuse.
 */
export const LAG_MS = 100_000;
