/**
 * Which nodes of a pool may be sent to its target now, and how many.
 *
 *     room = maxUnavailable - unavailable nodes - available nodes that fail at the target
 *     capacity = retryable nodes + room
 *
 * A node is counted once, also if it fails *and* is unavailable. Retryable nodes are those that we cordoned and that fail
 * on the way to an older target: they are unavailable already, so they may always be sent on. That way a pool recovers
 * from a bad configuration that was reverted, also with `maxUnavailable: 1`.
 *
 * Nodes that were cordoned by others, or that are not ready for another reason, are ignored.
 */
import type { Contribution } from './contribution.ts';

/** What the selection depends on; a `PoolTally` provides it. */
export type Availability = {
  readonly unavailable: number;
  /** The number of nodes that are available, sent to the target, and failing. */
  readonly failing: number;
  /** In the order in which they are sent. */
  readonly retryable: Iterable<Contribution>;
  readonly candidates: Iterable<Contribution>;
};

export type Selection = {
  /** In the order in which they are sent; retryable ones come first. */
  readonly candidates: readonly Contribution[];
  /** The number of nodes that may be sent now. */
  readonly capacity: number;
};

export const NO_SELECTION: Selection = { candidates: [], capacity: 0 };

export function selectCandidates(availability: Availability, maxUnavailable: number): Selection {
  const room = Math.max(0, maxUnavailable - availability.unavailable - availability.failing);
  const retryable = [...availability.retryable];
  return {
    candidates: room > 0 ? [...retryable, ...availability.candidates] : retryable,
    capacity: retryable.length + room,
  };
}
