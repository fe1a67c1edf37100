/**
 * Limits on the size of input. The recursive checks run only on values within them; a value that shares parts with
 * itself (YAML anchors can build one) may be small in memory and endless to walk.
 */
import { jsonExtent, MAX_JSON_DEPTH } from '../../base/json.ts';

/** More than the largest request that Kubernetes accepts (3 MiB) can hold in any sensible object. */
export const MAX_VALUES = 1_000_000;

/** `undefined` does not count: a field with that value is absent. */
const NOT_JSON: ReadonlySet<string> = new Set(['bigint', 'function', 'symbol']);

type Size = 'fits' | 'too deep' | 'too large' | 'not JSON';

/** A schema has two or three levels for every level of the values that it describes. */
const MAX_SCHEMA_DEPTH = 3 * MAX_JSON_DEPTH;

const schemas = new WeakMap<object, Size>();

export function sizeOfSchema(schema: object): Size {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const size = measured(schema, MAX_SCHEMA_DEPTH);
  schemas.set(schema, size);
  return size;
}

const LIMITS = { depth: MAX_JSON_DEPTH, values: MAX_VALUES - 1 };

export function sizeOf(value: unknown): Size {
  const isKnown = typeof value === 'object' && value !== null && jsonExtent(value, LIMITS) !== undefined;
  return isKnown ? 'fits' : measured(value, MAX_JSON_DEPTH);
}

/** Visits every part of the value, with an explicit stack. */
function measured(value: unknown, maxDepth: number): Size {
  const values: unknown[] = [value];
  const depths: number[] = [0];
  let seen = 1;
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (NOT_JSON.has(typeof item)) return 'not JSON';
    if (typeof item !== 'object' || item === null) continue;
    if (depth > maxDepth) return 'too deep';
    const children: readonly unknown[] = Array.isArray(item) ? item : Object.keys(item);
    seen += children.length;
    if (seen > MAX_VALUES) return 'too large';
    for (const one of children) {
      // For large objects this is much faster than `Object.values`.
      const child = children === item ? one : (item as { readonly [key: string]: unknown })[String(one)];
      if (typeof child === 'string' || typeof child === 'number' || child === null) continue;
      if (typeof child !== 'object' && !NOT_JSON.has(typeof child)) continue;
      values.push(child);
      depths.push(depth + 1);
    }
  }
  return 'fits';
}
