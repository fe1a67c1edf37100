/**
 * Merging of lists in a strategic merge patch: objects by key, scalars as a set. Items of the patch come in its order,
 * and items that only the server has keep their relative order.
 *
 * Items are indexed, so that the cost is linear.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { unknownError } from '../status/index.ts';
import { type Patched, patched } from './patched.ts';
import { arranged } from './strategic-arrange.ts';
import { afterDirectives, type Sides } from './strategic-directives.ts';
import { keyOf, kindOfItems, noMergeKey, withoutDuplicates } from './strategic-items.ts';
import { goKind } from './strategic-meta.ts';

export type MergeObjects = (
  original: JsonObject,
  patch: JsonObject,
  schema: StructuralSchema,
) => Patched<JsonObject>;

type ListRule = {
  /** The schema of the items. */
  readonly schema: StructuralSchema;
  readonly mergeKey: string;
  readonly mergeObjects: MergeObjects;
};

export type MergedList = {
  readonly items: readonly Json[];
  /**
   * The order of the live items, for `$setElementOrder`. Items that the patch adds are in it as far as they replace
   * items that it deletes.
   */
  readonly live: readonly Json[];
};

export function mergeLists(
  original: readonly Json[],
  patch: readonly Json[],
  { schema, mergeKey, mergeObjects }: ListRule,
): Patched<MergedList> {
  if (original.length === 0 && patch.length === 0) return patched({ items: original, live: original });
  const kind = kindOfItems([original, patch]);
  if (kind.kind === 'error') return kind;
  if (kind.value === 'scalar') {
    const items = withoutDuplicates([...original, ...patch]);
    // With a merge key kube-apiserver looks for it in the items, which are no objects here.
    const all = arranged({ items, order: patch, live: original, mergeKey, kind: kind.value });
    return all.kind === 'error' ? all : patched({ items: all.value, live: original });
  }
  if (mergeKey === '') return unknownError(`cannot merge lists without merge key for ${goKind(schema)}`);
  const sides = afterDirectives(original.filter(isJsonObject), patch.filter(isJsonObject), mergeKey);
  if (sides.kind === 'error') return sides;
  const { original: kept, patch: order, isReplaced } = sides.value;
  const merged = mergedByKey(sides.value, { schema, mergeKey, mergeObjects });
  if (merged.kind === 'error') return merged;
  const all = arranged({ items: merged.value, order, live: kept, mergeKey, kind: kind.value });
  if (all.kind === 'error') return all;
  const live = isReplaced ? original : merged.value.slice(0, Math.max(original.length, kept.length));
  return patched({ items: all.value, live });
}

function mergedByKey(
  { original, patch }: Sides,
  { schema, mergeKey, mergeObjects }: ListRule,
): Patched<readonly JsonObject[]> {
  const merged = [...original];
  const locations = new Map<string, number>();
  for (const [index, item] of original.entries()) {
    const key = keyOf(item, mergeKey);
    if (Object.hasOwn(item, mergeKey) && !locations.has(key)) locations.set(key, index);
  }
  for (const item of patch) {
    if (!Object.hasOwn(item, mergeKey)) return noMergeKey(item, mergeKey);
    const at = locations.get(keyOf(item, mergeKey));
    const current = at === undefined ? undefined : merged[at];
    if (at === undefined || current === undefined) {
      locations.set(keyOf(item, mergeKey), merged.length);
      merged.push(item);
      continue;
    }
    const both = mergeObjects(current, item, schema);
    if (both.kind === 'error') return both;
    merged[at] = both.value;
  }
  return patched(merged);
}
