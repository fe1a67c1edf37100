/**
 * Lines of a container log in CRI format: time, stream, full (`F`) or partial (`P`) line, and text.
 *
 *     2026-11-15T17:00:00.123456789Z stderr F text
 */
import { parseDateTime, timeText } from '../../base/text/index.ts';

/** Runtimes split longer lines to bound memory. */
export const MAX_LINE_CHARS = 16 * 1024;

type LogLine = {
  /** In UTC with nanoseconds. */
  readonly time: string;
  /** The same, since the epoch. */
  readonly nanos: bigint;
  readonly isWhole: boolean;
  readonly text: Uint8Array;
};

const decoder = new TextDecoder();

const NANOS_PER_MS = 1_000_000n;

export function lineTime(nowMs: number): string {
  const [seconds = '', fraction = ''] = timeText(BigInt(Math.floor(nowMs)) * NANOS_PER_MS)
    .slice(0, -1)
    .split('.');
  return `${seconds}.${fraction.padEnd(9, '0')}Z`;
}

/** Includes the line end. */
export function formatLine(time: string, text: string, { isWhole }: Pick<LogLine, 'isWhole'>): string {
  return `${time} stderr ${isWhole ? 'F' : 'P'} ${text}\n`;
}

/** `line` is without its line end. Undefined if it is malformed, such as one truncated by a crash. */
export function parseLine(line: Uint8Array): LogLine | undefined {
  const time = fieldAt(line, 0);
  const stream = fieldAt(line, time.end + 1);
  const tags = fieldAt(line, stream.end + 1);
  if (tags.end >= line.length || !/^std(out|err)$/.test(stream.text)) return undefined;
  const nanos = parseDateTime(time.text);
  if (nanos === undefined) return undefined;
  // Further tags may follow a colon; none is defined so far.
  return {
    time: time.text,
    nanos,
    isWhole: tags.text.split(':')[0] !== 'P',
    text: line.subarray(tags.end + 1),
  };
}

const SPACE = 0x20;
/** The longest field before the text is the time. */
const MAX_FIELD_BYTES = 64;

function fieldAt(line: Uint8Array, from: number): { readonly text: string; readonly end: number } {
  const found = line.subarray(from, from + MAX_FIELD_BYTES).indexOf(SPACE);
  const end = found < 0 ? line.length : from + found;
  return { text: found < 0 ? '' : decoder.decode(line.subarray(from, end)), end };
}

/**
 * Splits the output of a container into CRI lines. An incomplete line is kept until it is complete, or too long.
 */
export class CriLineSplitter {
  #rest = '';

  /** All complete lines, in CRI format. */
  cut(text: string, time: string): string {
    const parts = `${this.#rest}${text}`.split('\n');
    this.#rest = parts.pop() ?? '';
    let cut = '';
    for (const part of parts) cut += asLines(part, time);
    if (this.#rest.length <= MAX_LINE_CHARS) return cut;
    const full = piecesOf(this.#rest);
    this.#rest = full.pop() ?? '';
    return cut + full.map((piece) => formatLine(time, piece, { isWhole: false })).join('');
  }

  /** The rest, when the output has ended. */
  end(time: string): string {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? '' : asLines(rest, time);
  }
}

function asLines(text: string, time: string): string {
  if (text.length <= MAX_LINE_CHARS) return formatLine(time, text, { isWhole: true });
  const pieces = piecesOf(text);
  return pieces.map((piece, at) => formatLine(time, piece, { isWhole: at === pieces.length - 1 })).join('');
}

/** Never splits a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + MAX_LINE_CHARS);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
