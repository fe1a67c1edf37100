/**
 * How large an input may be before it is refused unread. The walkers behind this check recurse, and a value
 * that shares parts with itself (YAML anchors can build one) may be small in memory and endless to walk.
 */
import { MAX_JSON_DEPTH } from '../json.ts';

/** More than the largest request that Kubernetes accepts (3 MiB) can hold in any sensible shape. */
export const MAX_VALUES = 1_000_000;

/** `undefined` is not among them: a field that holds it counts as absent. */
const NOT_JSON: ReadonlySet<string> = new Set(['bigint', 'function', 'symbol']);

export type Size = 'fits' | 'too deep' | 'too large' | 'not JSON';

/** A schema takes two or three levels for every level of the values that it describes. */
const MAX_SCHEMA_DEPTH = 3 * MAX_JSON_DEPTH;

const schemas = new WeakMap<object, Size>();

export function sizeOfSchema(schema: object): Size {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const size = sizeOf(schema, MAX_SCHEMA_DEPTH);
  schemas.set(schema, size);
  return size;
}

/** Looks at every part of the value, with a stack of its own. */
export function sizeOf(value: unknown, maxDepth = MAX_JSON_DEPTH): Size {
  const values: unknown[] = [value];
  const depths: number[] = [0];
  let seen = 1;
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (NOT_JSON.has(typeof item)) return 'not JSON';
    if (typeof item !== 'object' || item === null) continue;
    if (depth > maxDepth) return 'too deep';
    const children = Array.isArray(item) ? item : Object.values(item);
    seen += children.length;
    if (seen > MAX_VALUES) return 'too large';
    for (const child of children) {
      if ((typeof child !== 'object' || child === null) && !NOT_JSON.has(typeof child)) continue;
      values.push(child);
      depths.push(depth + 1);
    }
  }
  return 'fits';
}
