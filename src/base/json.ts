/**
 * JSON values, and their canonical text, the only form that may be hashed or compared.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Deeper documents are rejected: no kind nests further, and recursive functions are safe within it. */
export const MAX_JSON_DEPTH = 100;

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Like `isObject` for a value that is known to be JSON, so its fields are JSON too. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/**
 * Own keys only, so that `__proto__` or `constructor` in an input never reaches an inherited member.
 */
export function own(object: JsonObject, key: string): Json | undefined;
export function own(object: { readonly [key: string]: unknown }, key: string): unknown;
export function own(object: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value of a JSON text; undefined where the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * The canonical text: keys sorted by UTF-16 code units, `undefined` left out, no spaces. Hashes and comparisons
 * depend on it; nothing else may rely on the order of keys.
 */
export function canonicalJson(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const parts: string[] = [];
  const object = value as { readonly [key: string]: unknown };
  for (const key of Object.keys(object).sort()) {
    const item = object[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${parts.join(',')}}`;
}

/** Whether two values have the same canonical text. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  return haveEqualFields(a as Fields, b as Fields);
}

type Fields = { readonly [key: string]: unknown };

/** Values that JSON writes as null. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value));
}

function haveEqualFields(a: Fields, b: Fields): boolean {
  let count = 0;
  for (const key of Object.keys(a)) {
    const item = a[key];
    if (item === undefined) continue;
    const other = own(b, key);
    if (other === undefined || !jsonEqual(item, other)) return false;
    count++;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) count--;
  return count === 0;
}

/** Compares by UTF-8 bytes, as Go does, never by locale: rendered names depend on it. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const leftSurrogate = (left & 0xf800) === 0xd800;
    const rightSurrogate = (right & 0xf800) === 0xd800;
    // In UTF-8 every code point beyond the BMP (a surrogate here) sorts after all others.
    if (leftSurrogate !== rightSurrogate) return leftSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

/** Whether the value nests deeper than `limit`. Safe at any depth: not recursive. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}

/** The size of a value: its depth, and the number of all values in it. */
type JsonExtent = { readonly depth: number; readonly values: number };

/**
 * Undefined where the value is not JSON or exceeds the limits; finding out why is left to the caller. The value must
 * never change afterwards: the extents of its larger parts are cached, so that a copy that shares these parts is
 * measured quickly.
 */
export function jsonExtent(value: object, limits: JsonExtent): JsonExtent | undefined {
  const extent = extentWithin(value, limits.depth, { left: limits.values, level: 0 });
  return extent !== undefined && extent.depth <= limits.depth && extent.values <= limits.values
    ? extent
    : undefined;
}

const extents = new WeakMap<object, JsonExtent>();
/** Smaller values are measured faster than looked up. */
const REMEMBERED_VALUES = 64;
/** `spec`, `metadata.managedFields`, its entries. Deeper parts change together with these. */
const REMEMBERED_LEVELS = 3;

/** `left` bounds the walk itself: a value that shares parts with itself may be small in memory and huge to walk. */
type Walk = { left: number; level: number };

function extentWithin(value: object, depthLeft: number, walk: Walk): JsonExtent | undefined {
  const isRemembered = walk.level <= REMEMBERED_LEVELS;
  const known = isRemembered ? extents.get(value) : undefined;
  if (known !== undefined) return known;
  if (depthLeft < 0) return undefined;
  const sum = { depth: 0, values: 0 };
  walk.level++;
  const isJson = Array.isArray(value)
    ? value.every((item: unknown) => addExtent(item, depthLeft, walk, sum))
    : haveExtents(value as Fields, depthLeft, walk, sum);
  walk.level--;
  if (!isJson) return undefined;
  if (isRemembered && sum.values >= REMEMBERED_VALUES) extents.set(value, sum);
  return sum;
}

type Sum = { depth: number; values: number };

function haveExtents(value: Fields, depthLeft: number, walk: Walk, sum: Sum): boolean {
  // Much faster than `Object.keys`, and JSON has no inherited keys.
  for (const key in value) if (!addExtent(value[key], depthLeft, walk, sum)) return false;
  return true;
}

/** False where the value is not JSON or too large. */
function addExtent(value: unknown, depthLeft: number, walk: Walk, sum: Sum): boolean {
  sum.values++;
  if (--walk.left < 0) return false;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return true;
  if (typeof value !== 'object') return false;
  if (value === null) return true;
  const below = extentWithin(value, depthLeft - 1, walk);
  if (below === undefined) return false;
  sum.values += below.values;
  sum.depth = Math.max(sum.depth, below.depth + 1);
  return true;
}

const utf8 = new TextEncoder();

/** The length in UTF-8 bytes. */
export function byteLength(text: string): number {
  // Nearly all strings are short ASCII, for which encoding is much slower than this loop.
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80) return utf8.encode(text).length;
  }
  return text.length;
}
