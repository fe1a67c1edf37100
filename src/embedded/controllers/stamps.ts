/**
 * Times as objects carry them, and as clocks count them.
 */
import { parseDateTime, timeText } from '../../base/text/index.ts';

const NANOS_PER_MS = 1_000_000n;
const MS_PER_SECOND = 1000;

/** Milliseconds since 1970; undefined for a time that is not there or cannot be read. */
export function msOf(stamp: string | null | undefined): number | undefined {
  if (stamp === null || stamp === undefined) return undefined;
  const nanos = parseDateTime(stamp);
  return nanos === undefined ? undefined : Number(nanos / NANOS_PER_MS);
}

/** In whole seconds, as Kubernetes writes them. */
export function stampOf(nowMs: number): string {
  return timeText(BigInt(Math.floor(nowMs / MS_PER_SECOND) * MS_PER_SECOND) * NANOS_PER_MS);
}
