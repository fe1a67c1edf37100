/**
 * Comparing and joining bytes, and working on many of them in pieces.
 */

/** Word by word: files of many megabytes are compared while other requests wait. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  if (a.byteOffset % WORD_BYTES !== 0 || b.byteOffset % WORD_BYTES !== 0) return sameFrom(a, b, 0);
  const count = Math.floor(a.length / WORD_BYTES);
  const [left, right] = [wordsOf(a, count), wordsOf(b, count)];
  for (let index = 0; index < count; index++) if (left[index] !== right[index]) return false;
  return sameFrom(a, b, count * WORD_BYTES);
}

const WORD_BYTES = 4;

function wordsOf({ buffer, byteOffset }: Uint8Array, count: number): Uint32Array {
  return new Uint32Array(buffer, byteOffset, count);
}

function sameFrom(a: Uint8Array, b: Uint8Array, start: number): boolean {
  for (let index = start; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** A computation that yields the number of bytes that it has processed since it last did. */
export type InPieces<T> = Generator<number, T>;

/** Some milliseconds of work. */
export const PIECE_BYTES = 1024 ** 2;

/** All at once. */
export function finish<T>(work: InPieces<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** With a pause after each piece, in which other work of the process goes on. */
export async function finishWithPauses<T>(work: InPieces<T>, pause: () => Promise<void>): Promise<T> {
  let bytes = 0;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    bytes += step.value;
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    await pause();
  }
}

export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}
