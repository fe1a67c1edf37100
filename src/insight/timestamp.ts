/**
 * Timestamps of a fleet status: RFC 3339, to the second.
 */
import { formatTimestamp, humanDuration, parseTimestamp } from '../base/text/index.ts';

/** The time of an object as a `since` field; empty if it is missing or malformed. */
export function since(time: unknown): { readonly since?: string } {
  const ms = typeof time === 'number' ? time : parseTimestamp(time);
  return ms === undefined ? {} : { since: formatTimestamp(ms) };
}

/** `2m30s`; negative durations, from clock skew, become zero. Undefined if a time is unknown. */
export function elapsed(from: string | undefined, to: string): string | undefined {
  const fromMs = parseTimestamp(from);
  const toMs = parseTimestamp(to);
  return fromMs === undefined || toMs === undefined ? undefined : humanDuration(Math.max(0, toMs - fromMs));
}
