/**
 * JSON as data: the shapes that come off a wire, and the one text form that may be hashed or compared.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Deeper documents are refused: no kind of ours nests further, and every walker may then recurse. */
export const MAX_JSON_DEPTH = 100;

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same of what is known to be JSON, whose fields are JSON then. */
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
 * One text for one value: keys sorted by UTF-16 code units, absent and `undefined` alike, no spaces. Hashes
 * and comparisons rest on it; nothing else may rely on the order of keys.
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

/** Whether two values are the same JSON, whatever the order of their keys: whether they have the same canonical text. */
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

/** What JSON writes as null. */
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

/** Compares by bytes, never by locale: rendered names depend on it. For code points above U+FFFF as Go does. */
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

/** How deep the value nests, looking no further than `limit`. Safe on any depth: it keeps its own stack. */
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

/** How much there is to walk: levels of objects and lists below the first, and all values together. */
type JsonExtent = { readonly depth: number; readonly values: number };

/**
 * Undefined where the value is not JSON throughout, or more than the limits: whoever has to say what is wrong looks for
 * themselves. The value must never change from now on: of its larger parts it is remembered, and whoever changes an object
 * by making a new one around the same parts is soon done.
 */
export function jsonExtent(value: object, limits: JsonExtent): JsonExtent | undefined {
  const extent = extentWithin(value, limits.depth, { left: limits.values, level: 0 });
  return extent !== undefined && extent.depth <= limits.depth && extent.values <= limits.values
    ? extent
    : undefined;
}

const extents = new WeakMap<object, JsonExtent>();
/** Smaller ones are walked again sooner than found. */
const REMEMBERED_VALUES = 64;
/** The parts of an object, and theirs: `spec`, `metadata.managedFields`, its entries. Deeper ones come and go with these. */
const REMEMBERED_LEVELS = 3;

/** `left` bounds the walk itself: a value that shares parts with itself may be small and endless to walk. */
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
  // Much faster than to ask for the keys, and JSON has no inherited ones.
  for (const key in value) if (!addExtent(value[key], depthLeft, walk, sum)) return false;
  return true;
}

/** False where it is not JSON, or too much. */
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

/** How many bytes the text takes in UTF-8. */
export function byteLength(text: string): number {
  // Nearly all are plain, and most are short: to make their bytes would take much longer than to look at them.
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80) return utf8.encode(text).length;
  }
  return text.length;
}
