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
export function own(object: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
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

/** Whether two values are the same JSON, whatever the order of their keys. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
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

const utf8 = new TextEncoder();

/** How many bytes the text takes in UTF-8. */
export function byteLength(text: string): number {
  return utf8.encode(text).length;
}
