/** Limits of a rehearsal, in virtual time. */
export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Until pools are rendered for the first time, and until nodes have joined. */
export const SETTLE_LIMIT_MS = 30 * MINUTE_MS;
/** Longer than the window in which changes are collected. */
export const QUIET_MS = 15_000;
/**
 * Where no node gets further for so long, beside what is known to take its time (`stall-limits.ts`), something blocks: drains are reported as
 * overdue after an hour. No speed divides it: nor does one divide the limits of `doctor`, whose rules name the cause then.
 */
export const STALL_MS = HOUR_MS + 5 * MINUTE_MS;
/** Of a rollout, beside what is known to take its time. */
export const LENGTH_LIMIT_MS = 60 * 24 * HOUR_MS;
/** From look to look. */
export const LOOK_MS = 2_000;
/** In larger clusters requests take no time, and most nodes are modelled: see `modelledNodes`. */
export const MOST_REAL_NODES = 60;
export const SAMPLE_OF_A_POOL = 10;
