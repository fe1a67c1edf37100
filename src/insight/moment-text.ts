/**
 * Moments as they stand in an overview: RFC 3339, to the second.
 */
import { humanDuration, momentMs, timeText } from '../base/text/index.ts';

const NANOS_PER_SECOND = 1_000_000_000n;

export function momentText(ms: number): string {
  return timeText(BigInt(Math.floor(ms / 1000)) * NANOS_PER_SECOND);
}

/** A time of an object as a field of an overview; none where there is none, or none that can be read. */
export function since(moment: unknown): { readonly since?: string } {
  const ms = typeof moment === 'number' ? moment : momentMs(moment);
  return ms === undefined ? {} : { since: momentText(ms) };
}

/** `2m30s`; clocks differ, so what seems to be yet to come is now. `undefined` where a moment is not known. */
export function elapsed(from: string | undefined, to: string): string | undefined {
  const fromMs = momentMs(from);
  const toMs = momentMs(to);
  return fromMs === undefined || toMs === undefined ? undefined : humanDuration(Math.max(0, toMs - fromMs));
}
