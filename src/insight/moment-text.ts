/**
 * Moments as they stand in an overview: RFC 3339, to the second.
 */
import { formatTimestamp, humanDuration, parseTimestamp } from '../base/text/index.ts';

/** A time of an object as a field of an overview; none where there is none, or none that can be read. */
export function since(moment: unknown): { readonly since?: string } {
  const ms = typeof moment === 'number' ? moment : parseTimestamp(moment);
  return ms === undefined ? {} : { since: formatTimestamp(ms) };
}

/** `2m30s`; clocks differ, so what seems to be yet to come is now. `undefined` where a moment is not known. */
export function elapsed(from: string | undefined, to: string): string | undefined {
  const fromMs = parseTimestamp(from);
  const toMs = parseTimestamp(to);
  return fromMs === undefined || toMs === undefined ? undefined : humanDuration(Math.max(0, toMs - fromMs));
}
