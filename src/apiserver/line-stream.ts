/**
 * The body of an answer that goes on: whoever has something pushes it, whoever sends asks for it.
 */

/** A client that is this far behind is not going to catch up. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

export interface LineStream {
  readonly body: AsyncIterable<Uint8Array>;
  push(bytes: Uint8Array): void;
  /** What was pushed is still sent. */
  end(): void;
  /** Called once, when the stream ends for whichever reason; at once where it has. */
  whenClosed(call: () => void): void;
}

export function openLines(signal: AbortSignal | undefined): LineStream {
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let isClosed = false;
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
    buffered = [];
    close();
  };
  if (signal?.aborted === true) abandon();
  signal?.addEventListener('abort', abandon);
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (buffered.length > 0) {
          const chunk = joined(buffered, bufferedBytes);
          buffered = [];
          bufferedBytes = 0;
          yield chunk;
        } else if (isClosed) return;
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
    push(bytes) {
      if (isClosed) return;
      buffered.push(bytes);
      bufferedBytes += bytes.length;
      if (bufferedBytes > MAX_BUFFERED_BYTES) abandon();
      else wake?.();
    },
    end: close,
    whenClosed(call) {
      if (isClosed) call();
      else closers.add(call);
    },
  };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
