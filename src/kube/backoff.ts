/**
 * Growing delays: each failure in a row waits longer than the one before, up to a limit, and never at the same moment as
 * everybody else's.
 */
import type { Random } from '../env.ts';

/** How long to wait after a failure. One of these is a setting, so that a simulated cluster can be in more of a hurry. */
export type RetryLadder = {
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** Which part of a delay is left to chance: 0.5 waits between half of it and all of it. */
  readonly jitter: number;
};

/** The delay after the failure with this number, counted from 0. */
export function delayAfter(ladder: RetryLadder, failures: number, random: Random): number {
  const { baseMs, factor, capMs, jitter } = ladder;
  const full = Math.min(capMs, baseMs * factor ** failures);
  return full * (1 - jitter * random.next());
}
