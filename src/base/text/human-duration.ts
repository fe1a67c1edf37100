/**
 * Ages as kubectl prints them: two or three figures, never more than two units.
 */
import { parseTimestamp } from './timestamps.ts';

const SECOND_MS = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/** The maximum of a 64-bit duration in nanoseconds; longer ones are clamped. */
const MAX_MS = 9_223_372_036_854;

/** The age of a timestamp; `<unknown>` where there is none. */
export function ageOf(timestamp: unknown, nowMs: number): string {
  const thenMs = parseTimestamp(timestamp);
  return thenMs === undefined ? '<unknown>' : humanDuration(nowMs - thenMs);
}

/** `45s`, `2m30s`, `15m`, `3h5m`, `10h`, `5d2h`, `300d`, `2y30d`, `9y`; `<invalid>` for what is yet to come. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(Math.min(durationMs, MAX_MS) / SECOND_MS);
  // Clocks differ: up to a second in the future counts as now.
  if (!(seconds >= -1)) return '<invalid>';
  const step = STEPS.find(({ below }) => seconds < below);
  return step === undefined
    ? inUnits(Math.max(seconds, 0), YEAR)
    : inUnits(Math.max(seconds, 0), ...step.units);
}

/** The units that are shown up to each duration. */
const STEPS: readonly { readonly below: number; readonly units: readonly [number, number?] }[] = [
  { below: 2 * MINUTE, units: [1] },
  { below: 10 * MINUTE, units: [MINUTE, 1] },
  { below: 3 * HOUR, units: [MINUTE] },
  { below: 8 * HOUR, units: [HOUR, MINUTE] },
  { below: 2 * DAY, units: [HOUR] },
  { below: 8 * DAY, units: [DAY, HOUR] },
  { below: 2 * YEAR, units: [DAY] },
  { below: 8 * YEAR, units: [YEAR, DAY] },
];

const LETTERS: ReadonlyMap<number, string> = new Map([
  [1, 's'],
  [MINUTE, 'm'],
  [HOUR, 'h'],
  [DAY, 'd'],
  [YEAR, 'y'],
]);

/** A smaller unit of zero is left out. */
function inUnits(seconds: number, unit: number, smaller?: number): string {
  const whole = `${Math.floor(seconds / unit)}${LETTERS.get(unit)}`;
  const rest = smaller === undefined ? 0 : Math.floor((seconds % unit) / smaller);
  return smaller === undefined || rest === 0 ? whole : `${whole}${rest}${LETTERS.get(smaller)}`;
}

/** As Go prints a `time.Duration`, to the millisecond: `1h0m0s`, `1m30s`, `1.5s`, `250ms`. */
export function formatGoDuration(durationMs: number): string {
  const ms = Math.round(durationMs);
  if (ms > 0 && ms < SECOND_MS) return `${ms}ms`;
  const seconds = ms / SECOND_MS;
  if (seconds < MINUTE) return `${seconds}s`;
  const minutes = Math.floor(seconds / MINUTE);
  const rest = `${minutes % 60}m${(ms % (MINUTE * SECOND_MS)) / SECOND_MS}s`;
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)}h${rest}`;
}
