/**
 * The timeouts and delays of a drain. `--speed` divides them here; messages quote the values in force.
 */
export type DrainSettings = {
  /** The timeout of one attempt to evict all pods of a node. */
  readonly attemptMs: number;
  /** From a refused eviction to the next request for the same pod. */
  readonly evictionRetryMs: number;
  /** The same, where the disruption budget has changed since. */
  readonly relaxedRetryMs: number;
  /**
   * A pod whose eviction is refused for so long is worth a warning; in most drains its replacement starts meanwhile. Never
   * divided: it is about people's patience.
   */
  readonly blockedAfterMs: number;
  /** From a failed attempt to the next one, unless what blocked it is gone before. */
  readonly retryMs: number;
  /** The same, once the drain has taken longer than `slowAfterMs`. */
  readonly slowRetryMs: number;
  readonly slowAfterMs: number;
  /** After this time the drain is reported as overdue. It continues. */
  readonly overdueAfterMs: number;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_DRAIN_SETTINGS: DrainSettings = {
  attemptMs: 90 * SECOND,
  evictionRetryMs: 5 * SECOND,
  relaxedRetryMs: SECOND,
  blockedAfterMs: 5 * SECOND,
  retryMs: MINUTE,
  slowRetryMs: 5 * MINUTE,
  slowAfterMs: 10 * MINUTE,
  overdueAfterMs: 60 * MINUTE,
};

/** For a cluster in which time passes `speed` times as fast. */
export function dividedBy(settings: DrainSettings, speed: number): DrainSettings {
  return {
    attemptMs: settings.attemptMs / speed,
    evictionRetryMs: settings.evictionRetryMs / speed,
    relaxedRetryMs: settings.relaxedRetryMs / speed,
    blockedAfterMs: settings.blockedAfterMs,
    retryMs: settings.retryMs / speed,
    slowRetryMs: settings.slowRetryMs / speed,
    slowAfterMs: settings.slowAfterMs / speed,
    overdueAfterMs: settings.overdueAfterMs / speed,
  };
}
