/**
 * The body of an answer that goes on: whoever has something pushes it, whoever sends asks for it.
 *
 * What there was to tell before the first push (`first`) is made piece by piece, and only when it is asked for. A
 * client that does not read costs what is waiting for it and nothing more; and that is bounded.
 */

import { joinBytes } from './join-bytes.ts';

/** A client for which this much is waiting is not going to catch up. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Lines go out together, as long as they are not more than this. */
export const PIECE_BYTES = 64 * 1024;

/** A line is made when it is sent; until then it costs what it is made from, which many clients share. */
export type Line = { readonly sizeBytes: number; readonly bytes: () => Uint8Array };

/** `over`: nothing comes after this, not even what was pushed. */
export type FirstPieces = Generator<Uint8Array, 'over' | 'more'>;

export interface LineStream {
  readonly body: AsyncIterable<Uint8Array>;
  push(line: Line): void;
  /** What was pushed is still sent. */
  end(): void;
  /** Called once, when the stream ends for whichever reason; at once where it has. */
  whenClosed(call: () => void): void;
}

export function openLines(signal: AbortSignal | undefined, first: FirstPieces = nothing()): LineStream {
  const waiting = new WaitingLines();
  let isClosed = false;
  let isAbandoned = false;
  let wake: (() => void) | undefined;
  const closers = new Set<() => void>();
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    for (const call of closers) call();
    closers.clear();
    signal?.removeEventListener('abort', abandon);
    wake?.();
  };
  const abandon = (): void => {
    isAbandoned = true;
    waiting.clear();
    close();
  };
  if (signal?.aborted === true) abandon();
  signal?.addEventListener('abort', abandon);
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      while (!isAbandoned) {
        const piece = first.next();
        if (piece.done !== true) yield piece.value;
        else if (piece.value === 'over') return;
        else break;
      }
      for (;;) {
        const piece = waiting.take();
        if (piece !== undefined) yield piece;
        else if (isClosed) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = undefined;
        }
      }
    } finally {
      abandon();
    }
  }
  return {
    body: body(),
    push(line) {
      if (isClosed) return;
      waiting.add(line);
      if (waiting.sizeBytes > MAX_WAITING_BYTES) abandon();
      else wake?.();
    },
    end: close,
    whenClosed(call) {
      if (isClosed) call();
      else closers.add(call);
    },
  };
}

class WaitingLines {
  #lines: Line[] = [];
  /** Those before it have been taken. */
  #next = 0;
  sizeBytes = 0;

  add(line: Line): void {
    this.#lines.push(line);
    this.sizeBytes += line.sizeBytes;
  }

  /** As many as go out together; at least one where there is one. */
  take(): Uint8Array | undefined {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (; size < PIECE_BYTES; this.#next++) {
      const line = this.#lines[this.#next];
      if (line === undefined) break;
      const bytes = line.bytes();
      pieces.push(bytes);
      size += bytes.length;
      this.sizeBytes -= line.sizeBytes;
    }
    this.#forgetTaken();
    return pieces.length === 0 ? undefined : joinBytes(pieces);
  }

  clear(): void {
    this.#lines = [];
    this.#next = 0;
    this.sizeBytes = 0;
  }

  /** Now and then, so that a long row is not moved up for every piece of it. */
  #forgetTaken(): void {
    if (this.#next < this.#lines.length / 2) return;
    this.#lines = this.#lines.slice(this.#next);
    this.#next = 0;
  }
}

function* nothing(): FirstPieces {
  yield* [];
  return 'more';
}
