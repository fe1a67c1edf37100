/**
 * How patient a drain is. All of its delays are here, so that a sped-up cluster divides them in one place; the texts that
 * speak of minutes mean the cluster's own time.
 */
export type DrainSettings = {
  /** How long one attempt to empty a node may take. */
  readonly attemptMs: number;
  /** After a refused eviction, until the pod is asked again. */
  readonly evictionRetryMs: number;
  /** The same, where the budget that stood in the way has changed since. */
  readonly relaxedRetryMs: number;
  /** After a failed attempt, until the next, unless what stood in the way goes before. */
  readonly retryMs: number;
  /** The same, once the drain has gone on for `slowAfterMs`. */
  readonly slowRetryMs: number;
  readonly slowAfterMs: number;
  /** When a drain is called overdue. It goes on all the same. */
  readonly overdueAfterMs: number;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_DRAIN_SETTINGS: DrainSettings = {
  attemptMs: 90 * SECOND,
  evictionRetryMs: 5 * SECOND,
  relaxedRetryMs: SECOND,
  retryMs: MINUTE,
  slowRetryMs: 5 * MINUTE,
  slowAfterMs: 10 * MINUTE,
  overdueAfterMs: 60 * MINUTE,
};

/** For a cluster in which time passes that many times as fast. */
export function dividedBy(settings: DrainSettings, speed: number): DrainSettings {
  return {
    attemptMs: settings.attemptMs / speed,
    evictionRetryMs: settings.evictionRetryMs / speed,
    relaxedRetryMs: settings.relaxedRetryMs / speed,
    retryMs: settings.retryMs / speed,
    slowRetryMs: settings.slowRetryMs / speed,
    slowAfterMs: settings.slowAfterMs / speed,
    overdueAfterMs: settings.overdueAfterMs / speed,
  };
}
