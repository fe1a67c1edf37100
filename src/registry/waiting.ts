/**
 * Waiting for a registry: between attempts, and for the next piece of an answer, each on the clock of `Env` and never
 * longer than anybody cares.
 */
import type { Clock, Random } from '../env.ts';
import { Failure } from '../errors.ts';

/** How long to wait after a failure: each in a row longer than the one before, and never all clients at once. */
export type RetryLadder = {
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
};

/** Between half of the delay and all of it. */
export function delayAfter({ baseMs, factor, capMs }: RetryLadder, failures: number, random: Random): number {
  return Math.min(capMs, baseMs * factor ** failures) * (1 - 0.5 * random.next());
}

/** True once the time has passed, false as soon as the signal is aborted. */
export function waited(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (isOver: boolean) => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      resolve(isOver);
    };
    const onAbort = () => finish(false);
    const timer = clock.after(delayMs, () => finish(true));
    signal.addEventListener('abort', onAbort);
  });
}

export type PaceOptions = {
  readonly clock: Clock;
  /** How long the other side may send nothing at all. */
  readonly stalledMs: number;
  readonly what: string;
};

/** The same pieces; fails where one is too long in coming. */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  { clock, stalledMs, what }: PaceOptions,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let isSpent = false;
  try {
    for (;;) {
      const piece = await withinLimit(iterator.next(), { clock, stalledMs, what });
      if (piece.done === true) {
        isSpent = true;
        return;
      }
      yield piece.value;
    }
  } finally {
    // A generator that waits for something answers only once that has come, so nobody waits for it.
    if (!isSpent) iterator.return?.().then(nothing, nothing);
  }
}

/** What the promise gives; fails where it takes too long. What it does after that is of no interest. */
export function withinLimit<T>(promise: Promise<T>, { clock, stalledMs, what }: PaceOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(stalledMs, () => {
      reject(new Failure('transient', 'Timeout', `${what}: nothing came for ${stalledMs / 1000} s`));
    });
    promise.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}

function nothing(): void {}
