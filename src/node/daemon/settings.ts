/**
 * Every wait and time limit of a daemon. `--speed` divides all of them.
 */
import type { Backoff } from '../../base/waiting.ts';

export type DaemonSettings = {
  /** Between failed attempts at an update. */
  readonly retry: Backoff;
  /** The waits after each failed pull; after the last one the update fails. */
  readonly pullWaitsMs: readonly number[];
  /** How long a drain may take before it is reported as a failure. The daemon continues to wait. */
  readonly drainLimitMs: number;
  readonly uncordonLimitMs: number;
  /** Before a failed report to the cluster is retried. */
  readonly reportRetryMs: number;
  readonly prefetch: PrefetchSettings;
};

/** Of images that PinnedImageSets name. */
type PrefetchSettings = {
  /** The waits after each failed pull of an image; after the last one it fails. */
  readonly pullWaitsMs: readonly number[];
  /** After that no further pull begins; what is missing is pulled by the next pass. */
  readonly limitMs: number;
  /** Until it is looked again whether all images are there: somebody may have removed one. */
  readonly checkMs: number;
};

export const DEFAULT_DAEMON_SETTINGS: DaemonSettings = {
  retry: { baseMs: 1_000, factor: 2, capMs: 60_000, jitter: 0 },
  pullWaitsMs: [10_000, 20_000, 40_000],
  drainLimitMs: 60 * 60_000,
  uncordonLimitMs: 10 * 60_000,
  reportRetryMs: 5_000,
  prefetch: { pullWaitsMs: [1_000, 2_000, 4_000], limitMs: 5 * 60_000, checkMs: 10 * 60_000 },
};

export function daemonSettingsAtSpeed(speed: number): DaemonSettings {
  const { retry, pullWaitsMs, drainLimitMs, uncordonLimitMs, reportRetryMs, prefetch } =
    DEFAULT_DAEMON_SETTINGS;
  return {
    retry: { ...retry, baseMs: retry.baseMs / speed, capMs: retry.capMs / speed },
    pullWaitsMs: pullWaitsMs.map((ms) => ms / speed),
    drainLimitMs: drainLimitMs / speed,
    uncordonLimitMs: uncordonLimitMs / speed,
    reportRetryMs: reportRetryMs / speed,
    prefetch: {
      pullWaitsMs: prefetch.pullWaitsMs.map((ms) => ms / speed),
      limitMs: prefetch.limitMs / speed,
      checkMs: prefetch.checkMs / speed,
    },
  };
}
