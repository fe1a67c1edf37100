/**
 * How long an update of a pool takes, from how long the last updates of its nodes took.
 */
import type { RecentUpdate } from '../../node/report/index.ts';

export type DurationEstimate =
  | { readonly kind: 'no-history' }
  | {
      readonly kind: 'range';
      /** Of the whole pool: as the fastest tenth of past updates, as half of them, as the slowest tenth. */
      readonly lowSeconds: number;
      readonly likelySeconds: number;
      readonly highSeconds: number;
      /** How many past updates it is from. */
      readonly samples: number;
    };

type Expected = {
  /** The nodes that will be updated. */
  readonly count: number;
  readonly atOnce: number;
  readonly needsReboot: boolean;
};

/** `history`: of the nodes of the pool, or of all nodes where these have none. */
export function durationEstimate(history: readonly RecentUpdate[], expected: Expected): DurationEstimate {
  const alike = history.filter(({ rebooted }) => rebooted === expected.needsReboot);
  const seconds = alike.map((one) => one.seconds).toSorted((a, b) => a - b);
  if (seconds.length === 0) return { kind: 'no-history' };
  const waves = Math.ceil(expected.count / Math.max(1, expected.atOnce));
  const at = (share: number) => seconds[Math.round(share * (seconds.length - 1))] ?? 0;
  return {
    kind: 'range',
    lowSeconds: waves * at(0.1),
    likelySeconds: waves * at(0.5),
    highSeconds: waves * at(0.9),
    samples: seconds.length,
  };
}
