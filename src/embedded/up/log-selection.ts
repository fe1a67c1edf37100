/**
 * Selects the text of a log that matches a query: fed with chunks of the file, it returns the text to send, like a kubelet.
 */
import { parseLine } from './cri-log-line.ts';
import type { LogQuery } from './log-query.ts';

/** Bounds memory for files without line ends, which are not ours. */
const MAX_RAW_LINE_BYTES = 1024 * 1024;
const LINE_END = 0x0a;
const END = new Uint8Array([LINE_END]);
const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

export class LogSelection {
  readonly #logQuery: Pick<LogQuery, 'since' | 'hasTimes'>;
  #linesLeft: number;
  #bytesLeft: number;
  /** The beginning of an incomplete line. */
  #carried: Uint8Array | 'tooLong' = NOTHING;
  #isNewLine = true;

  constructor({ tailLines, limitBytes, isFollowed, ...logQuery }: LogQuery) {
    this.#logQuery = logQuery;
    // A follower also gets all later lines.
    this.#linesLeft = isFollowed ? Number.POSITIVE_INFINITY : (tailLines ?? Number.POSITIVE_INFINITY);
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a limit is reached. */
  get isDone(): boolean {
    return this.#linesLeft <= 0 || this.#bytesLeft <= 0;
  }

  /** The selected text of a chunk; may be empty. */
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

  /** The last, incomplete line, which a crash may leave. */
  end(): Uint8Array {
    const shown: Uint8Array[] = [];
    const line = this.#completed(NOTHING);
    if (!this.isDone && line !== undefined) this.#show(line, NOTHING, shown);
    return joined(shown);
  }

  /** The next chunk begins with a new line. */
  resetLine(): void {
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
    // A copy, since the chunk may be reused.
    this.#carried = carried.length + rest.length > MAX_RAW_LINE_BYTES ? 'tooLong' : joined([carried, rest]);
  }

  #show(raw: Uint8Array, end: Uint8Array, shown: Uint8Array[]): void {
    const line = parseLine(raw);
    if (line === undefined) return;
    this.#linesLeft -= 1;
    const isFirstPart = this.#isNewLine;
    this.#isNewLine = line.isWhole;
    if (this.#isTooOld(line.nanos)) return;
    if (this.#logQuery.hasTimes && isFirstPart) shown.push(this.#limited(encoder.encode(`${line.time} `)));
    shown.push(this.#limited(line.text));
    if (line.isWhole) shown.push(this.#limited(end));
  }

  #isTooOld(nanos: bigint): boolean {
    const { since } = this.#logQuery;
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
