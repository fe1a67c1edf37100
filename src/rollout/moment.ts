/**
 * Moments as milliseconds since 1970, which clocks give, and as the RFC 3339 texts that objects carry.
 */
import { parseDateTime, timeText } from '../base/text/index.ts';

const NANOS_PER_MS = 1_000_000n;

/** To the millisecond: what a sped-up cluster measures by it is short. */
export function formatMoment(ms: number): string {
  return timeText(BigInt(Math.trunc(ms)) * NANOS_PER_MS);
}

/** To the second, as Kubernetes writes the times of conditions. */
export function formatSecond(ms: number): string {
  return formatMoment(Math.floor(ms / 1000) * 1000);
}

export function parseMoment(text: unknown): number | undefined {
  const nanos = typeof text === 'string' ? parseDateTime(text) : undefined;
  return nanos === undefined ? undefined : Number(nanos / NANOS_PER_MS);
}
