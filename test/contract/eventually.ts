/** For what a server does in its own time: the client never tries anything twice by itself. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A namespace takes its time: its contents are looked at again after fifteen seconds. */
const LIMIT_MS = 60_000;
const INTERVAL_MS = 50;

/** What `look` finds, once it finds something. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${LIMIT_MS} ms`);
    await sleep(INTERVAL_MS);
  }
}
