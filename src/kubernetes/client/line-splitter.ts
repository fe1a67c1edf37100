/**
 * Splits chunks of bytes into lines. Splitting bytes rather than text is safe for characters that span two chunks.
 */
import { Failure } from '../../base/errors.ts';

/** Far above any object; without a limit an endless line would exhaust the memory. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

const NEWLINE = 10;

export class LineSplitter {
  /** The beginning of an incomplete line. */
  #started: Uint8Array[] = [];
  #startedBytes = 0;

  /** The lines that are complete with this chunk, without line ends. */
  push(piece: Uint8Array): readonly Uint8Array[] {
    const lines: Uint8Array[] = [];
    let at = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, at)) {
      lines.push(this.#finish(piece.subarray(at, end)));
      at = end + 1;
    }
    if (at < piece.length) this.#begin(piece.subarray(at));
    return lines;
  }

  #begin(part: Uint8Array): void {
    this.#started.push(part);
    this.#startedBytes += part.length;
    if (this.#startedBytes <= MAX_LINE_BYTES) return;
    throw new Failure(
      'transient',
      'GarbledWatch',
      `a line of the watch is longer than ${MAX_LINE_BYTES} bytes`,
    );
  }

  #finish(part: Uint8Array): Uint8Array {
    if (this.#startedBytes === 0) return part;
    const line = new Uint8Array(this.#startedBytes + part.length);
    let at = 0;
    for (const started of [...this.#started, part]) {
      line.set(started, at);
      at += started.length;
    }
    this.#started = [];
    this.#startedBytes = 0;
    return line;
  }
}
