/** Timeouts for streamed bodies: for the next chunk, and for a promise. */
import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { withinLimit } from '../base/waiting.ts';

type PaceOptions = {
  readonly clock: Clock;
  /** How long the server may send nothing. */
  readonly stalledMs: number;
  readonly what: string;
};

/** The same chunks; fails where one takes too long. */
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
    // `return` of a pending generator resolves only with its next value, so it is not awaited.
    if (!isSpent) iterator.return?.().then(nothing, nothing);
  }
}

/** The promise with a timeout. Its later result is ignored. */
export async function inTime<T>(promise: Promise<T>, { clock, stalledMs, what }: PaceOptions): Promise<T> {
  const outcome = await withinLimit(clock, { promise, limitMs: stalledMs });
  if (outcome.kind === 'settled') return outcome.value;
  throw new Failure('transient', 'Timeout', `${what}: nothing came for ${stalledMs / 1000} s`);
}

function nothing(): void {}
