/**
 * The body of a streamed response: producers push lines, the sender pulls them.
 *
 * The initial chunks (`first`) are made on demand. A slow client costs only the buffered lines, which are bounded.
 */

import { joinBytes } from './join-bytes.ts';

/** A client that is this far behind is disconnected. */
export const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Lines are sent together up to this size. */
export const CHUNK_BYTES = 64 * 1024;

/** A line is encoded when it is sent; until then it only references what many clients share. */
export type Line = { readonly sizeBytes: number; readonly bytes: () => Uint8Array };

/** `over`: the stream ends, without the pushed lines. */
export type InitialChunks = Generator<Uint8Array, 'over' | 'more'>;

export interface LineStream {
  readonly body: AsyncIterable<Uint8Array>;
  push(line: Line): void;
  /** Pushed lines are still sent. */
  end(): void;
  /** Calls back once, when the stream ends for any reason; at once if it has ended. */
  whenClosed(call: () => void): void;
}

export function openLineStream(
  signal: AbortSignal | undefined,
  first: InitialChunks = nothing(),
): LineStream {
  const waiting = new LineBuffer();
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
        const chunk = first.next();
        if (chunk.done !== true) yield chunk.value;
        else if (chunk.value === 'over') return;
        else break;
      }
      for (;;) {
        const chunk = waiting.take();
        if (chunk !== undefined) yield chunk;
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
      if (waiting.sizeBytes > MAX_BUFFERED_BYTES) abandon();
      else wake?.();
    },
    end: close,
    whenClosed(call) {
      if (isClosed) call();
      else closers.add(call);
    },
  };
}

class LineBuffer {
  #lines: Line[] = [];
  /** Lines before this index are sent. */
  #next = 0;
  sizeBytes = 0;

  add(line: Line): void {
    this.#lines.push(line);
    this.sizeBytes += line.sizeBytes;
  }

  /** As many as are sent together; at least one if there is any. */
  take(): Uint8Array | undefined {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (; size < CHUNK_BYTES; this.#next++) {
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

  /** Only now and then: moving a long array for every chunk would be slow. */
  #forgetTaken(): void {
    if (this.#next < this.#lines.length / 2) return;
    this.#lines = this.#lines.slice(this.#next);
    this.#next = 0;
  }
}

function* nothing(): InitialChunks {
  yield* [];
  return 'more';
}
