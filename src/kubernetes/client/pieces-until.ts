/**
 * The chunks of a body until a signal is aborted, even if the producer hangs.
 */
import { onAbort } from '../../base/waiting.ts';

export async function* piecesUntil(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  // Wakes the reader. Racing against one long-lived promise would leak memory with every chunk of a long watch.
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
    // Not awaited: a waiting generator returns only once its producer does.
    if (!isSpent) iterator.return?.().then(nothing, nothing);
  }
}

function nothing(): void {}
