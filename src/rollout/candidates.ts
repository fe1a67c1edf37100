/**
 * Which nodes of a pool may be sent to its target now, and how many.
 *
 *     room = maxUnavailable - unavailable nodes - nodes in service that fail at the target
 *
 * A node takes one place, whatever is wrong with it: one that fails *and* is out of service is counted once. Nodes that
 * are out of service by our own doing, and that fail on the way to an older target, keep their place and may always be
 * sent on: so a bad configuration that was taken back heals, also with `maxUnavailable: 1`.
 *
 * Nodes that others cordoned, or that are not ready for reasons of their own, are left alone.
 */
import type { Contribution } from './contribution.ts';

/** What the choice depends on; a `PoolTally` has it at hand. */
export type Standing = {
  readonly unavailable: number;
  /** In service, sent to the target, and failing. */
  readonly failing: number;
  /** In the order in which they are to be sent. */
  readonly inOwnSlot: Iterable<Contribution>;
  readonly candidates: Iterable<Contribution>;
};

export type Selection = {
  /** In the order in which they are to be sent; those that need no room come first. */
  readonly candidates: readonly Contribution[];
  /** How many of them may be sent now. */
  readonly capacity: number;
};

export const NO_SELECTION: Selection = { candidates: [], capacity: 0 };

export function selectCandidates(standing: Standing, maxUnavailable: number): Selection {
  const room = Math.max(0, maxUnavailable - standing.unavailable - standing.failing);
  const inOwnSlot = [...standing.inOwnSlot];
  return {
    candidates: room > 0 ? [...inOwnSlot, ...standing.candidates] : inOwnSlot,
    capacity: inOwnSlot.length + room,
  };
}
