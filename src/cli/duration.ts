/** Durations as option values: `30s`, `5m`, `1h30m`. */
import { parseGoDuration } from '../base/text/index.ts';
import { throwUsageError } from './objects/run-in-cluster.ts';

/** Timers cannot wait for much longer. */
const MAX_DURATION_MS = 7 * 24 * 60 * 60 * 1000;
const NANOS_PER_MS = 1_000_000;

/** Of a wait, in milliseconds. A negative duration means the longest possible wait, like in kubectl. */
export function durationMs(option: string, text: string): number {
  const nanos = nanosOf(option, text);
  return nanos < 0n ? MAX_DURATION_MS : Math.min(Number(nanos) / NANOS_PER_MS, MAX_DURATION_MS);
}

/** In milliseconds: of what nobody waits for, such as an age. It may be as long as it is, but not negative. */
export function spanMs(option: string, text: string): number {
  const nanos = nanosOf(option, text);
  if (nanos < 0n) return throwUsageError(`${option}: ${JSON.stringify(text)} is negative: write 0s or more`);
  return Number(nanos) / NANOS_PER_MS;
}

function nanosOf(option: string, text: string): bigint {
  const nanos = parseGoDuration(text);
  if (nanos !== undefined) return nanos;
  return throwUsageError(`${option}: ${JSON.stringify(text)} is not a duration: write 30s, 5m or 1h30m`);
}
