/**
 * How long a daemon waits, in one place. `--speed` divides all of it: these are retries and limits of a simulated world.
 */
import type { RetryLadder } from '../../base/waiting.ts';

export type DaemonSettings = {
  /** Between failed attempts at an update; the loop's own. */
  readonly retry: RetryLadder;
  /** A try of a pull that fails is followed by the wait of its number; after the last one the update fails. */
  readonly pullWaitsMs: readonly number[];
  /** How long a drain may take before the node says that it fails. It goes on waiting. */
  readonly drainLimitMs: number;
  readonly uncordonLimitMs: number;
  /** After which time it is tried again to tell the cluster what it could not be told. */
  readonly reportRetryMs: number;
};

export const DEFAULT_DAEMON_SETTINGS: DaemonSettings = {
  retry: { baseMs: 1_000, factor: 2, capMs: 60_000, jitter: 0 },
  pullWaitsMs: [10_000, 20_000, 40_000],
  drainLimitMs: 60 * 60_000,
  uncordonLimitMs: 10 * 60_000,
  reportRetryMs: 5_000,
};

export function daemonSettingsAtSpeed(speed: number): DaemonSettings {
  const { retry, pullWaitsMs, drainLimitMs, uncordonLimitMs, reportRetryMs } = DEFAULT_DAEMON_SETTINGS;
  return {
    retry: { ...retry, baseMs: retry.baseMs / speed, capMs: retry.capMs / speed },
    pullWaitsMs: pullWaitsMs.map((ms) => ms / speed),
    drainLimitMs: drainLimitMs / speed,
    uncordonLimitMs: uncordonLimitMs / speed,
    reportRetryMs: reportRetryMs / speed,
  };
}
