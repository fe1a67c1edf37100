/**
 * What of a log somebody wants to see: fed with the bytes of the file piece by piece, it gives the text to show, as a
 * kubelet does.
 */
import { parseLine } from './log-line.ts';
import type { LogWish } from './log-query.ts';

/** A file that has no ends of lines is none of ours; its bytes are not gathered for ever. */
const MAX_RAW_LINE_BYTES = 1024 * 1024;
const LINE_END = 0x0a;
const END = new Uint8Array([LINE_END]);
const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

export class LogSelection {
  readonly #wish: Pick<LogWish, 'since' | 'hasTimes'>;
  #linesLeft: number;
  #bytesLeft: number;
  /** The beginning of a line whose end has not come yet. */
  #carried: Uint8Array | 'tooLong' = NOTHING;
  #isNewLine = true;

  constructor({ tailLines, limitBytes, isFollowed, ...wish }: LogWish) {
    this.#wish = wish;
    // Who follows gets all that come after the last ones, too.
    this.#linesLeft = isFollowed ? Number.POSITIVE_INFINITY : (tailLines ?? Number.POSITIVE_INFINITY);
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Whether nothing more is wanted. */
  get isDone(): boolean {
    return this.#linesLeft <= 0 || this.#bytesLeft <= 0;
  }

  /** The text to show of it; empty where there is none yet. */
  take(bytes: Uint8Array): Uint8Array {
    const shown: Uint8Array[] = [];
    let at = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0 && !this.isDone; end = bytes.indexOf(LINE_END, at)) {
      const line = this.#completed(bytes.subarray(at, end));
      at = end + 1;
      if (line !== undefined) this.#show(line, END, shown);
    }
    if (!this.isDone) this.#carry(bytes.subarray(at));
    return joined(shown);
  }

  /** What was written last and has no end, as a crash may leave it. */
  end(): Uint8Array {
    const shown: Uint8Array[] = [];
    const line = this.#completed(NOTHING);
    if (!this.isDone && line !== undefined) this.#show(line, NOTHING, shown);
    return joined(shown);
  }

  /** What comes next is the beginning of a line, whatever came before. */
  forgetBeginning(): void {
    this.#carried = NOTHING;
  }

  #completed(rest: Uint8Array): Uint8Array | undefined {
    const carried = this.#carried;
    this.#carried = NOTHING;
    if (carried === 'tooLong') return undefined;
    return carried.length === 0 ? rest : joined([carried, rest]);
  }

  #carry(rest: Uint8Array): void {
    const carried = this.#carried;
    if (carried === 'tooLong' || rest.length === 0) return;
    // A copy, since what it was cut from may be used again.
    this.#carried = carried.length + rest.length > MAX_RAW_LINE_BYTES ? 'tooLong' : joined([carried, rest]);
  }

  #show(raw: Uint8Array, end: Uint8Array, shown: Uint8Array[]): void {
    const line = parseLine(raw);
    if (line === undefined) return;
    this.#linesLeft -= 1;
    const isFirstPart = this.#isNewLine;
    this.#isNewLine = line.isWhole;
    if (this.#isTooOld(line.nanos)) return;
    if (this.#wish.hasTimes && isFirstPart) shown.push(this.#limited(encoder.encode(`${line.time} `)));
    shown.push(this.#limited(line.text));
    if (line.isWhole) shown.push(this.#limited(end));
  }

  #isTooOld(nanos: bigint): boolean {
    const { since } = this.#wish;
    return since !== undefined && nanos < since;
  }

  #limited(part: Uint8Array): Uint8Array {
    const shown = part.length > this.#bytesLeft ? part.subarray(0, this.#bytesLeft) : part;
    this.#bytesLeft -= shown.length;
    return shown;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
