/**
 * Sends a body piece by piece, no faster than the other side takes it: nothing is asked of the producer while what it
 * gave before is still waiting.
 */
import type { Clock } from '../../../base/env.ts';

interface Sink {
  /** False when the next piece should wait for room. */
  write(chunk: Uint8Array): boolean;
  /** The call is made each time that there is room again. */
  onRoom(call: () => void): void;
}

type PumpOptions = {
  readonly clock: Clock;
  /** Aborted when there is nobody to send to any more, or when sending has to end. */
  readonly halt: AbortSignal;
  /** How long the other side may take nothing at all. */
  readonly stalledMs: number;
};

/** Rejects with what the producer throws. The producer is told when its pieces are wanted no longer. */
export async function pumpBody(
  body: AsyncIterable<Uint8Array>,
  sink: Sink,
  { clock, halt, stalledMs }: PumpOptions,
): Promise<'sent' | 'halted' | 'stalled'> {
  const iterator = body[Symbol.asyncIterator]();
  // Whoever waits is woken through these. Racing one lasting promise would keep a trace of every turn of a long watch.
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
      const piece = await nextPiece();
      if (piece === undefined) break;
      if (piece.done === true) {
        isSpent = true;
        return 'sent';
      }
      if (!sink.write(piece.value) && !halt.aborted && !(await hasRoom())) return 'stalled';
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

/** A generator that waits for something answers only once that has come, so nobody waits for it. */
function release(iterator: AsyncIterator<Uint8Array>): void {
  const released = iterator.return?.();
  released?.then(nothing, nothing);
}

function nothing(): void {}
