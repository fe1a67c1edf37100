/** Durations on a command line: `30s`, `5m`, `1h30m`. */
import { parseGoDuration } from '../base/text/index.ts';
import { refuseUsage } from './objects/run-in-cluster.ts';

/** Nobody waits for longer at a terminal, and timers cannot wait for much more. */
const MAX_DURATION_MS = 7 * 24 * 60 * 60 * 1000;
const NANOS_PER_MS = 1_000_000;

/** In milliseconds. Negative ones stand for as long as it takes, as they do for kubectl. */
export function durationMs(option: string, text: string): number {
  const nanos = parseGoDuration(text);
  if (nanos === undefined) {
    return refuseUsage(`${option}: ${JSON.stringify(text)} is no duration: write 30s, 5m or 1h30m`);
  }
  return nanos < 0n ? MAX_DURATION_MS : Math.min(Number(nanos) / NANOS_PER_MS, MAX_DURATION_MS);
}
