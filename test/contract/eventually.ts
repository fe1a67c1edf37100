/** Polling for asynchronous effects: the client itself never retries. */
import { setTimeout as sleep } from 'node:timers/promises';

/** The namespace controller retries after fifteen seconds. */
const LIMIT_MS = 60_000;
const INTERVAL_MS = 50;

/** The first defined result of `look`. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  { limitMs = LIMIT_MS, intervalMs = INTERVAL_MS } = {},
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`);
    await sleep(intervalMs);
  }
}
