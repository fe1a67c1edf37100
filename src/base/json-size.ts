/**
 * Limits on the size of values. Recursive functions run only on values within them; a value that shares parts with itself
 * (YAML anchors can build one) may be small in memory and endless to traverse.
 */
import { jsonExtent, MAX_JSON_DEPTH } from './json.ts';

/** More than the largest request that Kubernetes accepts (3 MiB) can hold in any sensible object. */
export const MAX_JSON_VALUES = 1_000_000;

const LIMITS = { depth: MAX_JSON_DEPTH, values: MAX_JSON_VALUES - 1 };

/** Why a value must not be traversed. */
export type SizeProblem =
  | { readonly kind: 'too deep' | 'too large' }
  | { readonly kind: 'not JSON'; readonly type: string };

type SizeOptions = {
  readonly maxDepth?: number;
  /** A field with the value `undefined` counts as absent. */
  readonly allowsUndefined?: boolean;
};

/** Of a value that never changes afterwards, because parts of the result are cached. */
export function sizeProblem(
  value: unknown,
  options: Pick<SizeOptions, 'allowsUndefined'> = {},
): SizeProblem | undefined {
  const isKnown = typeof value === 'object' && value !== null && jsonExtent(value, LIMITS) !== undefined;
  return isKnown ? undefined : uncachedSizeProblem(value, options);
}

/** Visits every part of the value, with an explicit stack. */
export function uncachedSizeProblem(
  value: unknown,
  { maxDepth = MAX_JSON_DEPTH, allowsUndefined = false }: SizeOptions = {},
): SizeProblem | undefined {
  const isLeaf = (item: unknown): boolean =>
    typeof item === 'string' ||
    typeof item === 'number' ||
    typeof item === 'boolean' ||
    item === null ||
    (item === undefined && allowsUndefined);
  if (isLeaf(value)) return undefined;
  const values: unknown[] = [value];
  const depths: number[] = [0];
  let count = 1;
  while (values.length > 0) {
    const item = values.pop();
    const depth = depths.pop() ?? 0;
    if (typeof item !== 'object' || item === null) return { kind: 'not JSON', type: typeof item };
    if (depth > maxDepth) return { kind: 'too deep' };
    const children: readonly unknown[] = Array.isArray(item) ? item : Object.keys(item);
    count += children.length;
    if (count > MAX_JSON_VALUES) return { kind: 'too large' };
    for (const one of children) {
      // Much faster for large objects than `Object.values`.
      const child = children === item ? one : (item as { readonly [key: string]: unknown })[String(one)];
      if (isLeaf(child)) continue;
      values.push(child);
      depths.push(depth + 1);
    }
  }
  return undefined;
}
