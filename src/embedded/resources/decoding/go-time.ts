/**
 * Times as Go parses and formats them: RFC 3339, with whole seconds (`Time`) or microseconds (`MicroTime`).
 *
 * Messages name the first part of the layout that does not match, so the text is parsed part by part.
 */
import { parseDateTime, timeText } from '../../../base/text/index.ts';

type GoTimeType = 'Time' | 'MicroTime';

type ReadTime =
  | { readonly kind: 'time'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The time in UTC, as the server writes it back. */
export function readGoTime(text: string, type: GoTimeType): ReadTime {
  const known = type === 'Time' ? lastTimes.get(text) : undefined;
  if (known !== undefined) return known;
  const read = readByParts(text, type);
  if (type === 'Time' && read.kind === 'time') {
    if (lastTimes.size >= MAX_TIMES) lastTimes.clear();
    lastTimes.set(text, read);
  }
  return read;
}

/** An object holds the times of its last changes, which every update parses again. */
const lastTimes = new Map<string, ReadTime>();
const MAX_TIMES = 1000;

function readByParts(text: string, type: GoTimeType): ReadTime {
  const quotedText = quotedByTime(text);
  let rest = text;
  for (const { part, form } of LAYOUTS[type]) {
    const fitting = form.exec(rest)?.[0];
    if (fitting === undefined) {
      const layout = LAYOUTS[type].map((one) => one.part).join('');
      const what = `cannot parse ${quotedByTime(rest)} as "${part}"`;
      return failed(`parsing time ${quotedText} as "${layout}": ${what}`);
    }
    const range = outOfRange(part, fitting);
    if (range !== undefined) return failed(`parsing time ${quotedText}: ${range} out of range`);
    rest = rest.slice(fitting.length);
  }
  if (rest !== '') return failed(`parsing time ${quotedText}: extra text: ${quotedByTime(rest)}`);
  const nanos = parseDateTime(normalized(text));
  // All parts are in range, so only the day can be invalid for its month.
  if (nanos === undefined) return failed(`parsing time ${quotedText}: day out of range`);
  return { kind: 'time', text: writtenTime(nanos, type) };
}

/** Formats a time. Finer digits are truncated, not rounded. */
function writtenTime(nanosSince1970: bigint, type: GoTimeType): string {
  const unit = type === 'Time' ? 1_000_000_000n : 1_000n;
  const cut = nanosSince1970 - (((nanosSince1970 % unit) + unit) % unit);
  const text = timeText(cut);
  if (type === 'Time') return text;
  const [seconds = '', fraction = ''] = text.slice(0, -1).split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}Z`;
}

type Part = { readonly part: string; readonly form: RegExp };

const dateParts: readonly Part[] = [
  { part: '2006', form: /^\d{4}/ },
  { part: '-', form: /^-/ },
  { part: '01', form: /^\d{2}/ },
  { part: '-', form: /^-/ },
  { part: '02', form: /^\d{2}/ },
  { part: 'T', form: /^T/ },
  { part: '15', form: /^\d{1,2}/ },
  { part: ':', form: /^:/ },
  { part: '04', form: /^\d{2}/ },
  { part: ':', form: /^:/ },
];
const zone: Part = { part: 'Z07:00', form: /^(Z|[+-]\d{2}:\d{2})/ };

const LAYOUTS: Readonly<Record<GoTimeType, readonly Part[]>> = {
  Time: [...dateParts, { part: '05', form: /^\d{2}([.,]\d+)?/ }, zone],
  MicroTime: [...dateParts, { part: '05', form: /^\d{2}/ }, { part: '.000000', form: /^[.,]\d{6}/ }, zone],
};

const RANGES: ReadonlyMap<string, readonly [name: string, from: number, to: number]> = new Map([
  ['01', ['month', 1, 12]],
  ['02', ['day', 1, 31]],
  ['15', ['hour', 0, 23]],
  ['04', ['minute', 0, 59]],
  ['05', ['second', 0, 59]],
]);

function outOfRange(part: string, text: string): string | undefined {
  const [name = '', from = 0, to = 0] = RANGES.get(part) ?? [];
  if (name !== '') {
    const value = Number.parseInt(text, 10);
    return value < from || value > to ? name : undefined;
  }
  if (part !== 'Z07:00' || text === 'Z') return undefined;
  if (Number(text.slice(1, 3)) > 24) return 'time zone offset hour';
  return Number(text.slice(4, 6)) > 60 ? 'time zone offset minute' : undefined;
}

/** The hour may have one digit, and the fraction may follow a comma. */
function normalized(text: string): string {
  return text.replace(/T(\d):/, 'T0$1:').replace(',', '.');
}

/** Go's `time` package has its own quoting: only quotes, backslashes and non-ASCII characters are escaped. */
function quotedByTime(text: string): string {
  let out = '"';
  for (const character of text) {
    if (character === '"' || character === '\\') out += `\\${character}`;
    else if (character >= ' ' && character <= '~') out += character;
    else for (const byte of utf8.encode(character)) out += `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `${out}"`;
}

const utf8 = new TextEncoder();

function failed(message: string): ReadTime {
  return { kind: 'failed', message };
}
