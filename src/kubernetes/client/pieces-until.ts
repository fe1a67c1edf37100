/**
 * The pieces of a body for as long as anybody wants them: a producer that hangs frees its reader all the same.
 */
import { onAbort } from '../../base/waiting.ts';

export async function* piecesUntil(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  // Whoever waits is woken through this. Racing one lasting promise would keep a trace of every turn of a long watch.
  let wake = nothing;
  const nextPiece = () =>
    new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
      wake = () => resolve(undefined);
      iterator.next().then(resolve, reject);
    });
  const forget = onAbort(signal, () => wake());
  let isSpent = false;
  try {
    while (!signal.aborted) {
      const piece = await nextPiece();
      if (piece === undefined) return;
      isSpent = piece.done === true;
      if (isSpent) return;
      yield piece.value;
    }
  } catch (error) {
    isSpent = true;
    throw error;
  } finally {
    forget();
    // A generator that waits for something answers only once that has come, so nobody waits for it.
    if (!isSpent) iterator.return?.().then(nothing, nothing);
  }
}

function nothing(): void {}
