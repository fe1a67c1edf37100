/**
 * JSON values in patches: limits, equality, and how Go names, prints and serializes a value.
 */
import { compareBytes, isJsonObject, type Json, MAX_JSON_DEPTH } from '../../base/json.ts';
import { MAX_JSON_VALUES, type SizeProblem, sizeProblem, uncachedSizeProblem } from '../../base/json-size.ts';
import { floatText, isWhole, numeral } from '../../base/text/index.ts';
import { badRequest, type StatusError } from '../status/index.ts';

/** Rejects values that are too deep or too large for recursive functions, which all functions after this one are. */
export function traversalError(what: string, value: unknown): StatusError | undefined {
  return errorOf(what, sizeProblem(value));
}

/** The same for a value that may still change, so that the result is not cached. */
export function uncachedTraversalError(what: string, value: unknown): StatusError | undefined {
  return errorOf(what, uncachedSizeProblem(value));
}

function errorOf(what: string, problem: SizeProblem | undefined): StatusError | undefined {
  switch (problem?.kind) {
    case undefined:
      return undefined;
    case 'too deep':
      return badRequest(`${what} nests deeper than ${MAX_JSON_DEPTH} levels`);
    case 'too large':
      return badRequest(`${what} holds more than ${MAX_JSON_VALUES} values`);
    case 'not JSON':
      return badRequest(`${what} is not JSON: it holds a ${problem.type}`);
  }
}

/** `Array.isArray` loses the type of the items. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Costs no more than the smaller of the two. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isJsonList(a)) {
    return isJsonList(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** The type name of a value in messages of Go's JSON decoder. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value in Go's `%v` format: `map[a:1 b:[x y]]`. */
export function printed(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'number') return isWhole(value) ? numeral(value) : floatText(value);
  if (isJsonList(value)) return `[${value.map(printed).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort(compareBytes)
    .map((key) => `${key}:${printed(value[key])}`);
  return `map[${fields.join(' ')}]`;
}

/** A value as Go serializes it: sorted keys, and HTML characters escaped. */
export function goJson(value: Json): string {
  if (typeof value === 'string') return goJsonText(value);
  if (isJsonList(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort(compareBytes)
    .map((key) => `${goJsonText(key)}:${goJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

const HTML_CHARACTERS = /[<>&\u2028\u2029]/g;

function goJsonText(text: string): string {
  return JSON.stringify(text).replace(
    HTML_CHARACTERS,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
