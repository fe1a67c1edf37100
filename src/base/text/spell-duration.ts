/**
 * Durations in sentences: a number and one unit, the largest that divides it evenly.
 */
const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `1 hour`, `10 minutes`, `90 seconds`; fractions of seconds are rounded, below one to milliseconds. */
export function spellDuration(durationMs: number): string {
  const wholeMs = durationMs < 1_000 ? Math.round(durationMs) : Math.round(durationMs / 1_000) * 1_000;
  const [unit, unitMs] = UNITS.find(([, ms]) => wholeMs >= ms && wholeMs % ms === 0) ?? ['millisecond', 1];
  const count = wholeMs / unitMs;
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
