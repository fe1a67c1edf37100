/**
 * Moments as the API writes them.
 */
import { timeText } from '../../base/text/index.ts';

const NANOS_PER_MS = 1_000_000n;

/** To the second, as most fields have them: `2026-01-31T12:00:00Z`. */
export function secondText(ms: number): string {
  return timeText(BigInt(Math.floor(ms / 1000)) * 1000n * NANOS_PER_MS);
}

/** To the microsecond with all six digits, without which the server does not take it: `2026-01-31T12:00:00.250000Z`. */
export function microText(ms: number): string {
  const whole = secondText(ms).slice(0, -1);
  const micros = Math.floor((ms - Math.floor(ms / 1000) * 1000) * 1000);
  return `${whole}.${String(micros).padStart(6, '0')}Z`;
}
