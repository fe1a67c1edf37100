/**
 * Timestamps of API objects (RFC 3339 in UTC), from and to milliseconds since 1970, which is what clocks return.
 */
import { parseDateTime, plainSeconds, timeText } from './times.ts';

const NANOS_PER_MS = 1_000_000n;
/** Kubernetes writes the year one for a time that is not set. */
const UNSET = '0001-01-01T00:00:00Z';
const UNSET_SECONDS = plainSeconds(UNSET);
const UNSET_NANOS = parseDateTime(UNSET);

/** Milliseconds since 1970; `undefined` where the value is not set or not a time. */
export function parseTimestamp(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const seconds = plainSeconds(text);
  if (seconds !== undefined) return seconds === UNSET_SECONDS ? undefined : seconds * 1000;
  const nanos = parseDateTime(text);
  if (nanos === undefined || nanos === UNSET_NANOS) return undefined;
  // Nanoseconds since 1970 do not fit into a number: the whole milliseconds are divided first.
  return Number(nanos / NANOS_PER_MS) + Number(nanos % NANOS_PER_MS) / Number(NANOS_PER_MS);
}

/** To the second, like `metav1.Time`: `2026-01-31T12:00:00Z`. */
export function formatTimestamp(ms: number): string {
  return formatMilliTimestamp(Math.floor(ms / 1000) * 1000);
}

/** To the millisecond, without trailing zeros: `2026-01-31T12:00:00.25Z`. */
export function formatMilliTimestamp(ms: number): string {
  return timeText(BigInt(Math.trunc(ms)) * NANOS_PER_MS);
}

/** To the microsecond, always with six digits as the server requires of a `metav1.MicroTime`. */
export function formatMicroTimestamp(ms: number): string {
  const seconds = formatTimestamp(ms).slice(0, -1);
  const micros = Math.floor((ms - Math.floor(ms / 1000) * 1000) * 1000);
  return `${seconds}.${String(micros).padStart(6, '0')}Z`;
}
