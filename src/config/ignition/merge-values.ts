/**
 * Merges one value over another of the same shape: the child wins where it has a value.
 */
import type { List, Shape, Struct } from './shape.ts';

export function mergeValues(shape: Shape, parent: unknown, child: unknown): unknown {
  if (child === undefined) return parent;
  if (parent === undefined) return child;
  switch (shape.kind) {
    case 'struct':
      return mergeStructs(shape, parent as StructValue, child as StructValue);
    case 'list':
      return mergeLists(shape, parent as readonly unknown[], child as readonly unknown[]);
    default:
      return child;
  }
}

type StructValue = { readonly [name: string]: unknown };

function mergeStructs(shape: Struct, parent: StructValue, child: StructValue): StructValue {
  const base = withoutTakenKeys(shape, parent, child);
  const result: Record<string, unknown> = { ...base };
  for (const name of Object.keys(child)) {
    const field = shape.fields[name];
    if (field !== undefined) result[name] = mergeValues(field, base[name], child[name]);
  }
  return result;
}

/** Items of the parent that the child has in a sibling list (a file that becomes a link) are removed. */
function withoutTakenKeys(shape: Struct, parent: StructValue, child: StructValue): StructValue {
  let result = parent;
  for (const names of shape.sharedKeys) {
    for (const name of names) {
      const taken = names
        .filter((sibling) => sibling !== name)
        .flatMap((sibling) => keysOf(shape.fields[sibling], child[sibling]));
      const items = result[name] as readonly unknown[] | undefined;
      if (taken.length === 0 || items === undefined) continue;
      const list = shape.fields[name] as List;
      const keys = new Set(taken);
      result = { ...result, [name]: items.filter((item) => !keys.has(list.keyOf?.(item) ?? '')) };
    }
  }
  return result;
}

function keysOf(shape: Shape | undefined, items: unknown): readonly string[] {
  if (shape?.kind !== 'list' || shape.keyOf === undefined || !Array.isArray(items)) return [];
  return items.map(shape.keyOf);
}

function mergeLists(shape: List, parent: readonly unknown[], child: readonly unknown[]): readonly unknown[] {
  const { keyOf, removedWithout } = shape;
  if (keyOf === undefined) return [...parent, ...child];
  const byKey = new Map(parent.map((item) => [keyOf(item), item]));
  for (const item of child) {
    const key = keyOf(item);
    const isRemoval = removedWithout !== undefined && (item as StructValue)[removedWithout] === undefined;
    if (isRemoval && byKey.has(key)) byKey.delete(key);
    else byKey.set(key, mergeValues(shape.item, byKey.get(key), item));
  }
  return [...byKey.values()];
}
