/** Writes a streamed body with backpressure: the next chunk is requested once the last one is written. */
import type { Clock } from '../../../base/env.ts';

interface Sink {
  /** False if the next chunk should wait for `drain`. */
  write(chunk: Uint8Array): boolean;
  onRoom(call: () => void): void;
}

type WriteBodyOptions = {
  readonly clock: Clock;
  /** Aborted when the client disconnects or writing has to stop. */
  readonly halt: AbortSignal;
  /** Timeout for a client that reads nothing. */
  readonly stalledMs: number;
};

/** Rejects with the errors of the producer. The producer is closed when its chunks are not needed any more. */
export async function writeBody(
  body: AsyncIterable<Uint8Array>,
  sink: Sink,
  { clock, halt, stalledMs }: WriteBodyOptions,
): Promise<'sent' | 'halted' | 'stalled'> {
  const iterator = body[Symbol.asyncIterator]();
  // Waiting uses these callbacks: racing one long-lived promise would leak memory for every chunk of a long watch.
  let wakeForHalt = nothing;
  let wakeForRoom = nothing;
  const onHalt = () => wakeForHalt();
  const nextPiece = () =>
    new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
      wakeForHalt = () => resolve(undefined);
      iterator.next().then(resolve, reject);
    });
  const hasRoom = () =>
    new Promise<boolean>((resolve) => {
      const timer = clock.after(stalledMs, () => resolve(false));
      wakeForHalt = wakeForRoom = () => {
        timer.cancel();
        resolve(true);
      };
    });
  halt.addEventListener('abort', onHalt);
  sink.onRoom(() => wakeForRoom());
  let isSpent = false;
  try {
    while (!halt.aborted) {
      const chunk = await nextPiece();
      if (chunk === undefined) break;
      if (chunk.done === true) {
        isSpent = true;
        return 'sent';
      }
      if (!sink.write(chunk.value) && !halt.aborted && !(await hasRoom())) return 'stalled';
    }
    return 'halted';
  } catch (error) {
    isSpent = true;
    throw error;
  } finally {
    halt.removeEventListener('abort', onHalt);
    if (!isSpent) release(iterator);
  }
}

/** A pending generator answers only later, so the result is not awaited. */
function release(iterator: AsyncIterator<Uint8Array>): void {
  const released = iterator.return?.();
  released?.then(nothing, nothing);
}

function nothing(): void {}
