/**
 * JSON as Go's decoder judges it: the same message for the first syntax error, and the duplicate keys.
 *
 * The value itself is parsed by the engine. Only a text that it rejects, or whose duplicate keys matter, is scanned
 * byte by byte; all offsets are in bytes.
 */
import type { Json } from '../json.ts';

type ReadJson =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'mistake'; readonly message: string };

const decoder = new TextDecoder();

export function readJson(bytes: Uint8Array): ReadJson {
  try {
    return { kind: 'json', value: JSON.parse(decoder.decode(bytes)) as Json };
  } catch {
    return { kind: 'mistake', message: scanJson(bytes).mistake ?? 'unexpected end of JSON input' };
  }
}

/** The number of keys in all objects of a value; undefined where it nests deeper than `maxDepth`. */
export function countKeys(value: Json, maxDepth: number): number | undefined {
  let count = 0;
  /** False where it is too deep. The depth is bounded, so recursion is safe. */
  const visit = (item: object, depth: number): boolean => {
    if (depth > maxDepth) return false;
    if (Array.isArray(item)) {
      return item.every((one) => typeof one !== 'object' || one === null || visit(one, depth + 1));
    }
    const object = item as { readonly [key: string]: Json };
    const keys = Object.keys(object);
    count += keys.length;
    for (const key of keys) {
      const one = object[key];
      if (typeof one === 'object' && one !== null && !visit(one, depth + 1)) return false;
    }
    return true;
  };
  return typeof value !== 'object' || value === null || visit(value, 0) ? count : undefined;
}

/** Whether a value contains more than this many values. Its depth must be bounded, as `countKeys` checks. */
export function holdsMoreThan(value: Json, limit: number): boolean {
  let count = 0;
  const visit = (item: Json): boolean => {
    if (++count > limit) return true;
    if (typeof item !== 'object' || item === null) return false;
    return Array.isArray(item) ? item.some(visit) : Object.values(item).some(visit);
  };
  return visit(value);
}

/**
 * The duplicate keys of a text, as `scanJson` finds them, given the number of keys after parsing. If that equals the
 * number of keys in the text, there are none, which is the usual case and quick to see.
 */
export function duplicateKeys(bytes: Uint8Array, keyCount: number): readonly string[] {
  return keysIn(bytes) === keyCount ? [] : scanJson(bytes).duplicates;
}

/** In valid JSON every key is followed by a colon, and there are no others outside of strings. */
function keysIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BYTE.colon) count++;
    if (byte !== BYTE.quote) continue;
    for (at++; at < bytes.length && bytes[at] !== BYTE.quote; at++) if (bytes[at] === BYTE.backslash) at++;
  }
  return count;
}

type ScannedJson = {
  /** The first syntax error, in Go's wording. */
  readonly mistake: string | undefined;
  /** The paths of duplicate keys, in the order of the text: `data.k`, `list[0].k`. */
  readonly duplicates: readonly string[];
};

/** Deeper texts are an error: Go's own limit, far beyond any object. */
const MAX_DEPTH = 10_000;
const MAX_DUPLICATES = 100;

type Level = {
  readonly kind: 'object' | 'array';
  readonly path: string;
  readonly keys: Set<string> | undefined;
  index: number;
  key: string;
};

/** The tokens that may come next. */
type Expected = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'end-of-value';

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** `onKey` gets the path of every key, in the order of the text. */
export function scanJson(bytes: Uint8Array, onKey: (path: string) => void = ignore): ScannedJson {
  const duplicates: string[] = [];
  const levels: Level[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const fail = (position: number, where: string): ScannedJson => ({
    mistake:
      position >= bytes.length
        ? 'unexpected end of JSON input'
        : `invalid character ${quotedByte(bytes[position] ?? 0)} ${where}`,
    duplicates,
  });
  for (;;) {
    while (SPACES.has(bytes[at] ?? -1)) at++;
    const byte = bytes[at];
    const level = levels.at(-1);
    if (isEmptyEnd(expected, byte)) {
      levels.pop();
      at++;
      expected = 'end-of-value';
      continue;
    }
    switch (expected) {
      case 'value':
      case 'first-value': {
        if (byte === BYTE.openObject || byte === BYTE.openList) {
          if (levels.length >= MAX_DEPTH) return { mistake: 'exceeded max depth', duplicates };
          levels.push(levelBelow(level, byte === BYTE.openObject ? 'object' : 'array'));
          expected = byte === BYTE.openObject ? 'first-key' : 'first-value';
          at++;
          break;
        }
        const end = scanScalar(bytes, at);
        if (typeof end !== 'number') return fail(end.at, end.where);
        at = end;
        expected = 'end-of-value';
        break;
      }
      case 'key':
      case 'first-key': {
        if (byte !== BYTE.quote) return fail(at, 'looking for beginning of object key string');
        const end = scanString(bytes, at);
        if (typeof end !== 'number') return fail(end.at, end.where);
        if (level !== undefined) onKey(noteKey(level, keyText(bytes, at, end), duplicates));
        at = end;
        expected = 'colon';
        break;
      }
      case 'colon':
        if (byte !== BYTE.colon) return fail(at, 'after object key');
        at++;
        expected = 'value';
        break;
      case 'end-of-value': {
        if (level === undefined) {
          return at >= bytes.length ? { mistake: undefined, duplicates } : fail(at, 'after top-level value');
        }
        const isObject = level.kind === 'object';
        if (byte === BYTE.comma) {
          level.index++;
          expected = isObject ? 'key' : 'value';
        } else if (byte === (isObject ? BYTE.closeObject : BYTE.closeList)) {
          levels.pop();
        } else return fail(at, isObject ? 'after object key:value pair' : 'after array element');
        at++;
      }
    }
  }
}

const BYTE = {
  quote: 0x22,
  backslash: 0x5c,
  minus: 0x2d,
  plus: 0x2b,
  dot: 0x2e,
  zero: 0x30,
  comma: 0x2c,
  colon: 0x3a,
  openObject: 0x7b,
  closeObject: 0x7d,
  openList: 0x5b,
  closeList: 0x5d,
} as const;

/** Whether an object or list ends before its first key or value. */
function isEmptyEnd(expected: Expected, byte: number | undefined): boolean {
  return (
    (expected === 'first-value' && byte === BYTE.closeList) ||
    (expected === 'first-key' && byte === BYTE.closeObject)
  );
}

function levelBelow(parent: Level | undefined, kind: Level['kind']): Level {
  const path =
    parent === undefined
      ? ''
      : parent.kind === 'array'
        ? `${parent.path}[${parent.index}]`
        : parent.path === ''
          ? parent.key
          : `${parent.path}.${parent.key}`;
  return { kind, path, keys: kind === 'object' ? new Set() : undefined, index: 0, key: '' };
}

function noteKey(level: Level, key: string, duplicates: string[]): string {
  level.key = key;
  const path = level.path === '' ? key : `${level.path}.${key}`;
  if (level.keys?.has(key) && duplicates.length < MAX_DUPLICATES) duplicates.push(path);
  level.keys?.add(key);
  return path;
}

function ignore(): void {}

function keyText(bytes: Uint8Array, start: number, end: number): string {
  const text = decoder.decode(bytes.subarray(start, end));
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}

type Mistake = { readonly at: number; readonly where: string };

const LITERALS = ['true', 'false', 'null'] as const;
const ESCAPABLE: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((one) => one.charCodeAt(0)));

function scanScalar(bytes: Uint8Array, start: number): number | Mistake {
  const byte = bytes[start];
  if (byte === BYTE.quote) return scanString(bytes, start);
  if (byte === BYTE.minus || isDigit(byte)) return scanNumber(bytes, start);
  const literal = LITERALS.find((one) => one.charCodeAt(0) === byte);
  if (literal === undefined) return { at: start, where: 'looking for beginning of value' };
  for (let index = 1; index < literal.length; index++) {
    if (bytes[start + index] !== literal.charCodeAt(index)) {
      return { at: start + index, where: `in literal ${literal} (expecting '${literal[index]}')` };
    }
  }
  return start + literal.length;
}

function scanString(bytes: Uint8Array, start: number): number | Mistake {
  for (let at = start + 1; ; at++) {
    const byte = bytes[at];
    if (byte === undefined) return { at, where: '' };
    if (byte === BYTE.quote) return at + 1;
    if (byte < 0x20) return { at, where: 'in string literal' };
    if (byte !== BYTE.backslash) continue;
    at++;
    const escaped = bytes[at];
    if (escaped === 0x75) {
      for (let digit = 0; digit < 4; digit++) {
        at++;
        if (!isHex(bytes[at])) return { at, where: 'in \\u hexadecimal character escape' };
      }
    } else if (escaped === undefined || !ESCAPABLE.has(escaped))
      return { at, where: 'in string escape code' };
  }
}

function scanNumber(bytes: Uint8Array, start: number): number | Mistake {
  let at = start;
  if (bytes[at] === BYTE.minus) at++;
  if (!isDigit(bytes[at])) return { at, where: 'in numeric literal' };
  if (bytes[at] === BYTE.zero) at++;
  else while (isDigit(bytes[at])) at++;
  if (bytes[at] === BYTE.dot) {
    at++;
    if (!isDigit(bytes[at])) return { at, where: 'after decimal point in numeric literal' };
    while (isDigit(bytes[at])) at++;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++;
    if (bytes[at] === BYTE.plus || bytes[at] === BYTE.minus) at++;
    if (!isDigit(bytes[at])) return { at, where: 'in exponent of numeric literal' };
    while (isDigit(bytes[at])) at++;
  }
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number | undefined): boolean {
  return byte !== undefined && /[0-9a-fA-F]/.test(String.fromCharCode(byte));
}

/** A byte as Go quotes a character of that number. */
function quotedByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  if (byte === 0x5c) return `'\\\\'`;
  const named = NAMED.get(byte);
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  const isPrintable = byte < 0x7f || (byte > 0xa0 && byte !== 0xad);
  return isPrintable ? `'${String.fromCharCode(byte)}'` : `'\\u00${byte.toString(16).padStart(2, '0')}'`;
}

const NAMED: ReadonlyMap<number, string> = new Map([
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x0c, '\\f'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x0b, '\\v'],
]);
