/**
 * Values as Go prints them, as quoted in the API server's messages.
 */
import { compareBytes, isObject } from '../json.ts';

/** The invalid value inside a message, as the server prints it: `"x"`, `5`, `map[string]interface {}{…}`. */
export function shown(value: unknown): string {
  // The server prints a missing value as the string "null".
  if (value === null || value === undefined) return '"null"';
  return literal(value);
}

/** A text in double quotes, with Go's escapes (`%q`). */
export function quoted(text: string): string {
  let out = '"';
  for (const character of text) out += escaped(character);
  return `${out}"`;
}

/** Characters with a named escape. */
export const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Go's `unicode.IsPrint` of one character; the only printable space is U+0020. */
export function isPrint(character: string): boolean {
  return PRINTABLE.test(character);
}

function escaped(character: string): string {
  const named = NAMED_ESCAPES.get(character);
  if (named !== undefined) return named;
  if (isPrint(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  // A lone surrogate cannot be written in UTF-8; decoding JSON in Go has already replaced it.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

/** A number without a type (`%v`): whole ones as integers, others with the shortest exact digits. */
export function numeral(value: number): string {
  return isWhole(value) ? BigInt(value).toString() : floatText(value);
}

/** A float64 (`%g`), for which Go switches to exponents early. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`;
}

/** Whether Go would have decoded the number as an int64. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** A value in Go's own syntax (`%#v`). */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return numeral(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(literal).join(', ')}}`;
  if (!isObject(value)) return 'interface {}(nil)';
  const fields = Object.keys(value)
    .sort(compareBytes)
    .map((key) => `${quoted(key)}:${literal(value[key])}`);
  return `map[string]interface {}{${fields.join(', ')}}`;
}

/** The Go type into which JSON is decoded (`%T`). */
export function goType(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return isWhole(value) ? 'int64' : 'float64';
    default:
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}
