/**
 * Functions on strings. Indexes count code points, as everywhere in CEL.
 */

import { compileRegex, isFound, NAMED_ESCAPES, type Regex } from '../../base/text/index.ts';
import { BOOL, DYN, INT, listOf, STRING } from './cel-type.ts';
import { formatText } from './format-text.ts';
import {
  type Cost,
  type Library,
  overload,
  regexCost,
  sizeForCost,
  traversal,
  weightOf,
} from './overloads.ts';
import { EvaluationError, ListValue, type Value } from './values.ts';

const searchCost: Cost = ([text, part]) =>
  Math.ceil(sizeForCost(text) * 0.1) * Math.ceil(sizeForCost(part) * 0.1);
/** Replacing the empty string, or a short one by a long one, can produce a much larger result. */
const replaceCost: Cost = ([text, , replacement]) =>
  Math.ceil(sizeForCost(text) * 0.2) + Math.floor((1 + sizeForCost(text)) * sizeForCost(replacement) * 0.1);
const joinCost: Cost = ([list, separator]) => {
  if (!(list instanceof ListValue)) return 1;
  const length = list.items.reduce<number>((sum, item) => sum + sizeForCost(item), 0);
  return Math.ceil((length + list.items.length * sizeForCost(separator ?? '')) * 0.2);
};

const formatCost: Cost = ([template, args]) => Math.ceil(sizeForCost(template) * 0.1 + weightOf(args) * 0.2);

const MATCHES = overload(
  [STRING, STRING],
  BOOL,
  (text, pattern) => isFound(regexOf(pattern), text),
  regexCost,
);
/** Counting visits every character, which the server's cost of one unit ignores. */
const sizeCost: Cost = ([text]) => 1 + Math.floor(sizeForCost(text) / 200);
const SIZE = overload([STRING], INT, (text) => BigInt(countCodePoints(text)), sizeCost);

export const STRINGS: Library = {
  functions: {
    size: [SIZE],
    matches: [MATCHES],
    'strings.quote': [overload([STRING], STRING, quoteForCel, traversal())],
  },
  methods: {
    size: [SIZE],
    matches: [MATCHES],
    contains: [overload([STRING, STRING], BOOL, (text, part) => text.includes(part), searchCost)],
    startsWith: [overload([STRING, STRING], BOOL, (text, part) => text.startsWith(part), traversal())],
    endsWith: [overload([STRING, STRING], BOOL, (text, part) => text.endsWith(part), traversal())],
    find: [
      overload([STRING, STRING], STRING, (text, pattern) => findAll(text, pattern, 1n)[0] ?? '', regexCost),
    ],
    findAll: [
      overload(
        [STRING, STRING],
        listOf(STRING),
        (text, pattern) => new ListValue(findAll(text, pattern, -1n)),
        regexCost,
      ),
      overload(
        [STRING, STRING, INT],
        listOf(STRING),
        (text, pattern, limit) => new ListValue(findAll(text, pattern, limit)),
        regexCost,
      ),
    ],
    charAt: [overload([STRING, INT], STRING, charAt, traversal())],
    indexOf: [
      overload([STRING, STRING], INT, (text, part) => indexOf(text, part, 0n), traversal()),
      overload([STRING, STRING, INT], INT, indexOf, traversal()),
    ],
    lastIndexOf: [
      overload([STRING, STRING], INT, (text, part) => lastIndexOf(text, part, undefined), traversal()),
      overload([STRING, STRING, INT], INT, lastIndexOf, traversal()),
    ],
    substring: [
      overload([STRING, INT], STRING, (text, start) => substring(text, start, undefined), traversal()),
      overload([STRING, INT, INT], STRING, substring, traversal()),
    ],
    split: [
      overload(
        [STRING, STRING],
        listOf(STRING),
        (text, by) => new ListValue(split(text, by, -1n)),
        traversal(2),
      ),
      overload(
        [STRING, STRING, INT],
        listOf(STRING),
        (text, by, limit) => new ListValue(split(text, by, limit)),
        traversal(2),
      ),
    ],
    join: [
      overload([listOf(STRING)], STRING, (list) => textsOf(list).join(''), joinCost),
      overload(
        [listOf(STRING), STRING],
        STRING,
        (list, separator) => textsOf(list).join(separator),
        joinCost,
      ),
    ],
    replace: [
      overload(
        [STRING, STRING, STRING],
        STRING,
        (text, from, to) => replace(text, from, to, -1n),
        replaceCost,
      ),
      overload([STRING, STRING, STRING, INT], STRING, replace, replaceCost),
    ],
    lowerAscii: [
      overload(
        [STRING],
        STRING,
        (text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
        traversal(),
      ),
    ],
    upperAscii: [
      overload(
        [STRING],
        STRING,
        (text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
        traversal(),
      ),
    ],
    trim: [overload([STRING], STRING, trimmed, traversal())],
    format: [overload([STRING, listOf(DYN)], STRING, formatText, formatCost)],
  },
};

/** White space as defined by Go. A loop, because a regular expression for the end would be quadratic. */
function trimmed(text: string): string {
  const isSpace = (index: number): boolean =>
    /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(text.charAt(index));
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(start)) start++;
  while (end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

/** Without splitting the string, which would be ten times slower. */
function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    const isPair =
      (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
    if (isPair) count--;
  }
  return count;
}

function codePoints(text: string): readonly string[] {
  return [...text];
}

function regexOf(pattern: string): Regex {
  const regex = compileRegex(pattern);
  if (regex.kind === 'bad') throw new EvaluationError(regex.error);
  return regex;
}

/** At most `limit` matches; all if it is negative. */
function findAll(text: string, pattern: string, limit: bigint): readonly string[] {
  const matcher = regexOf(pattern).pattern.matcher(text);
  const found: string[] = [];
  while ((limit < 0n || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

function outOfRange(index: bigint): EvaluationError {
  return new EvaluationError(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): string {
  const points = codePoints(text);
  if (index < 0n || index > points.length) throw outOfRange(index);
  return points[Number(index)] ?? '';
}

/** Searches in UTF-16, which finds the same matches, and counts code points up to there. */
function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  const skipped = codePoints(text).slice(0, Number(from)).join('');
  if (skipped.length >= text.length) return -1n;
  const found = text.indexOf(part, skipped.length);
  return found < 0 ? -1n : BigInt(codePoints(text.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, from: bigint | undefined): bigint {
  const points = codePoints(text);
  if (part === '') return from ?? BigInt(points.length);
  // Without an offset the search begins at the end, which an empty string does not have.
  const start = from ?? BigInt(points.length - 1);
  if (start < 0n) throw outOfRange(start);
  if (start >= points.length) return -1n;
  const found = text.lastIndexOf(part, points.slice(0, Number(start)).join('').length);
  return found < 0 ? -1n : BigInt(codePoints(text.slice(0, found)).length);
}

function substring(text: string, start: bigint, end: bigint | undefined): string {
  const points = codePoints(text);
  const to = end ?? BigInt(points.length);
  if (end !== undefined && start > end) {
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > points.length) throw outOfRange(start);
  if (to > points.length) throw outOfRange(to);
  return points.slice(Number(start), Number(to)).join('');
}

/** At most `limit` parts, the last of which has the rest; all if it is negative. */
function split(text: string, by: string, limit: bigint): readonly string[] {
  if (limit === 0n) return [];
  const parts = by === '' ? codePoints(text) : text.split(by);
  if (limit < 0n || parts.length <= limit) return parts;
  const kept = Number(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(by)];
}

function textsOf(list: ListValue): readonly string[] {
  return list.items.map((item: Value) => {
    if (typeof item !== 'string') throw new EvaluationError(`join: invalid input: ${String(item)}`);
    return item;
  });
}

/** The first `limit` matches; all if it is negative. An empty string matches between all characters. */
function replace(text: string, from: string, to: string, limit: bigint): string {
  if (limit === 0n) return text;
  if (from === '') {
    const points = codePoints(text);
    const last = limit < 0n || limit > points.length ? points.length + 1 : Number(limit);
    return [...points, ''].map((point, index) => (index < last ? to + point : point)).join('');
  }
  if (limit < 0n) return text.split(from).join(to);
  const parts = text.split(from);
  const count = limit > parts.length ? parts.length : Number(limit);
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from);
}

function quoteForCel(text: string): string {
  return `"${codePoints(text)
    .map((point) => NAMED_ESCAPES.get(point) ?? point)
    .join('')}"`;
}
