/** Waits in real time for a condition of the store, checked after every write. */

import type { Clock } from '../../src/base/env.ts';
import type { Store } from '../../src/embedded/apiserver/index.ts';

export type Waiting = {
  readonly store: Store;
  readonly clock: Clock;
  readonly what: string;
  readonly holds: () => Promise<boolean>;
  /** Ends a story that hangs; no story relies on it. */
  readonly limitMs: number;
  /** The error of a process that ended unexpectedly; it ends the wait. */
  readonly crash: () => Error | undefined;
};

/** Some conditions change without a write. */
const LOOK_MS = 250;
/** Writes come in bursts, and each check costs requests. */
const GATHER_MS = 20;

export async function untilStored({ store, clock, what, holds, limitMs, crash }: Waiting): Promise<void> {
  const end = clock.monotonic() + limitMs;
  for (;;) {
    const from = store.revision();
    if (await holds()) return;
    if (clock.monotonic() > end) throw new Error(`${what}: not within ${limitMs} ms`);
    const crashed = crash();
    if (crashed !== undefined) throw crashed;
    await changeAfter(store, clock, from);
  }
}

function changeAfter(store: Store, clock: Clock, from: number): Promise<void> {
  return new Promise((resolve) => {
    let cancel = (): void => undefined;
    const wait = (delayMs: number) =>
      clock.after(delayMs, () => {
        cancel();
        resolve();
      });
    let timer = wait(LOOK_MS);
    let isGathering = false;
    const subscribed = store.subscribe({ prefix: '', from }, () => {
      if (isGathering) return;
      isGathering = true;
      timer.cancel();
      timer = wait(GATHER_MS);
    });
    if (subscribed.kind === 'subscribed') cancel = () => subscribed.subscription.cancel();
  });
}
