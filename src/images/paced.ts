/** Waiting for what a registry sends: for the next piece of an answer, and never longer than anybody cares. */
import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { withinLimit } from '../base/waiting.ts';

type PaceOptions = {
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
      const piece = await inTime(iterator.next(), { clock, stalledMs, what });
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
export async function inTime<T>(promise: Promise<T>, { clock, stalledMs, what }: PaceOptions): Promise<T> {
  const outcome = await withinLimit(clock, { promise, limitMs: stalledMs });
  if (outcome.kind === 'settled') return outcome.value;
  throw new Failure('transient', 'Timeout', `${what}: nothing came for ${stalledMs / 1000} s`);
}

function nothing(): void {}
