/**
 * One line of a container's log as runtimes write it into files: when, to which stream, whether it is the end of a line
 * (`F`) or a part of one that goes on (`P`), and what.
 *
 *     2026-11-15T17:00:00.123456789Z stderr F text
 */
import { parseDateTime, timeText } from '../../base/text/index.ts';

/** Runtimes cut longer ones, so that nobody has to hold a line of any length. */
export const MAX_LINE_CHARS = 16 * 1024;

type LogLine = {
  /** As it is written, in UTC with nine digits. */
  readonly time: string;
  /** The same, since 1970. */
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

/** With its end. */
export function formatLine(time: string, text: string, { isWhole }: Pick<LogLine, 'isWhole'>): string {
  return `${time} stderr ${isWhole ? 'F' : 'P'} ${text}\n`;
}

/** `line` without its end. Undefined where it is no such line, as one that was torn by a crash. */
export function parseLine(line: Uint8Array): LogLine | undefined {
  const time = wordAt(line, 0);
  const stream = wordAt(line, time.end + 1);
  const tags = wordAt(line, stream.end + 1);
  if (tags.end >= line.length || !/^std(out|err)$/.test(stream.text)) return undefined;
  const nanos = parseDateTime(time.text);
  if (nanos === undefined) return undefined;
  // Further tags may follow a colon, and none of them means anything so far.
  return {
    ...{ time: time.text, nanos },
    isWhole: tags.text.split(':')[0] !== 'P',
    text: line.subarray(tags.end + 1),
  };
}

const SPACE = 0x20;
/** The longest word before the text is the time. */
const MAX_WORD_BYTES = 64;

function wordAt(line: Uint8Array, from: number): { readonly text: string; readonly end: number } {
  const found = line.subarray(from, from + MAX_WORD_BYTES).indexOf(SPACE);
  const end = found < 0 ? line.length : from + found;
  return { text: found < 0 ? '' : decoder.decode(line.subarray(from, end)), end };
}

/**
 * Cuts what a container writes into lines of a log. What has no end yet is kept until it has one, or is too long.
 */
export class LineCutter {
  #rest = '';

  /** All lines that are now whole, in the form of the file. */
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

  /** What is left when nothing more comes. */
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

/** No character is cut in two. */
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
