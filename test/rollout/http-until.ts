/** Waiting in real time: for what is stored to be so, looked at whenever something is written. */

import type { Clock } from '../../src/base/env.ts';
import type { Store } from '../../src/embedded/apiserver/index.ts';

export type Waiting = {
  readonly store: Store;
  readonly clock: Clock;
  readonly what: string;
  readonly holds: () => Promise<boolean>;
  /** Ends a story that hangs; no story relies on it. */
  readonly limitMs: number;
  /** Why a process has ended that nobody told to; then nothing is left to wait for. */
  readonly crash: () => Error | undefined;
};

/** Not all that is waited for is written. */
const LOOK_MS = 250;
/** Writes come in groups, and each look is a request or more. */
const GATHER_MS = 20;

export async function untilStored({ store, clock, what, holds, limitMs, crash }: Waiting): Promise<void> {
  const end = clock.monotonic() + limitMs;
  for (;;) {
    const from = store.revision();
    if (await holds()) return;
    if (clock.monotonic() > end) throw new Error(`${what}: not within ${limitMs} ms`);
    const crashed = crash();
    if (crashed !== undefined) throw crashed;
    await newsAfter(store, clock, from);
  }
}

function newsAfter(store: Store, clock: Clock, from: number): Promise<void> {
  return new Promise((resolve) => {
    let cancel = (): void => undefined;
    const wait = (delayMs: number) =>
      clock.after(delayMs, () => {
        cancel();
        resolve();
      });
    let timer = wait(LOOK_MS);
    let isGathering = false;
    const told = store.subscribe({ prefix: '', from }, () => {
      if (isGathering) return;
      isGathering = true;
      timer.cancel();
      timer = wait(GATHER_MS);
    });
    if (told.kind === 'subscribed') cancel = () => told.subscription.cancel();
  });
}
