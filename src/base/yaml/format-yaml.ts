/**
 * Prints JSON as YAML in block style like kubectl: lists at the column of their key, multi-line strings as `|`,
 * nothing folded. Keys keep their order.
 */
import type { Json } from '../json.ts';
import { resolvePlain } from './resolve-scalar.ts';

/**
 * Ends with a line break. `parseYaml` and kubectl read the same value back. The value may nest as deep as
 * `MAX_JSON_DEPTH`.
 */
export function formatYaml(value: Json): string {
  const lines: string[] = [];
  if (isNested(value)) pushNested(lines, value, '');
  else lines.push(scalar(value, '  '));
  return `${lines.join('\n')}\n`;
}

type Nested = readonly Json[] | { readonly [key: string]: Json };

/** The lines of a list or map that is not empty. */
function pushNested(lines: string[], value: Nested, indent: string): void {
  if (isList(value)) {
    for (const item of value) pushItem(lines, item, indent);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const start = startOfPair(lines, text(key), indent);
    if (isNested(item)) {
      lines.push(start);
      pushNested(lines, item, isList(item) ? indent : `${indent}  `);
    } else {
      lines.push(`${start} ${scalar(item, `${indent}  `)}`);
    }
  }
}

function pushItem(lines: string[], item: Json, indent: string): void {
  if (!isNested(item)) {
    lines.push(`${indent}- ${scalar(item, `${indent}  `)}`);
    return;
  }
  const first = lines.length;
  pushNested(lines, item, `${indent}  `);
  lines[first] = `${indent}- ${(lines[first] ?? '').slice(indent.length + 2)}`;
}

/** YAML requires the colon within 1024 characters, unless the key is marked by a question mark. */
const MAX_SIMPLE_KEY = 1000;

function startOfPair(lines: string[], key: string, indent: string): string {
  if (key.length <= MAX_SIMPLE_KEY) return `${indent}${key}:`;
  lines.push(`${indent}? ${key}`);
  return `${indent}:`;
}

/** The value after a key or a dash; further lines of a `|` block carry the given indent. */
function scalar(value: Json, indent: string): string {
  if (typeof value === 'string') return isBlock(value) ? block(value, indent) : text(value);
  if (typeof value === 'number') return number(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return isList(value) ? '[]' : '{}';
}

/** Plain digits beyond 2^53 would be read as an integer with lost digits; an exponent avoids that. */
function number(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

/** A string on one line: plain where it reads back as itself, otherwise in double quotes. */
function text(value: string): string {
  return isPlain(value) ? value : quoted(value);
}

function isPlain(value: string): boolean {
  if (!/^[A-Za-z0-9_./$(\\+-]/.test(value) || special.test(value) || /\t|: | #|[: ]$/.test(value))
    return false;
  if (/^(-($| )|---|\.\.\.)/.test(value) || looksLikeTime.test(value)) return false;
  const resolved = resolvePlain(value);
  return resolved.kind === 'value' && resolved.value === value;
}

/** Strings to kubectl, but numbers and dates to other YAML readers. */
const looksLikeTime = /^([-+]?\d[\d_]*(:\d\d?)+(\.\d*)?$|\d{4}-\d\d?-\d\d?)/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that need an escape.
const special = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/u;
/** The ones that JSON does not escape. */
const unescaped = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

function quoted(value: string): string {
  return JSON.stringify(value).replaceAll(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Whether a `|` block reads back as the string: kubectl fails on leading blanks in the first line and on trailing
 * ones.
 */
function isBlock(value: string): boolean {
  if (!value.includes('\n') || /^[ \t\n]/.test(value) || /[ \t](\n|$)/.test(value)) return false;
  return !special.test(value.replaceAll('\n', ''));
}

function block(value: string, indent: string): string {
  const lines = value.split('\n');
  // The last element follows the last line break: empty, or a line without one.
  if (lines.at(-1) === '') lines.pop();
  const header = !value.endsWith('\n') ? '|-' : value.endsWith('\n\n') ? '|+' : '|';
  return [header, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}

function isNested(value: Json): value is Nested {
  if (typeof value !== 'object' || value === null) return false;
  return isList(value) ? value.length > 0 : Object.keys(value).length > 0;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
