/**
 * The `$setElementOrder` directive: the order of list items.
 */
import { compareBytes, isJsonObject, type Json, own } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { badRequest, type StatusError, unknownError } from '../status/index.ts';
import { isJsonList, printed } from './json-values.ts';
import { type Patched, patched } from './patched.ts';
import { arranged } from './strategic-arrange.ts';
import { DIRECTIVE, withoutDirectives } from './strategic-directives.ts';
import { badType, keyOf, kindOfItems, lacksKey } from './strategic-items.ts';
import { type MergedList, type MergeObjects, mergeLists } from './strategic-lists.ts';
import { metaOfList, type PatchMeta } from './strategic-meta.ts';

export const SET_ORDER = '$setElementOrder';

type Merge = {
  /** The object, which is changed in place. */
  readonly fields: Map<string, Json>;
  /** The patch, from which processed entries are removed. */
  readonly changes: Map<string, Json>;
  readonly schema: StructuralSchema;
  readonly mergeObjects: MergeObjects;
};

/** Merges and arranges every list that has a `$setElementOrder`. */
export function arrangeLists(merge: Merge): StatusError | undefined {
  const keys = [...merge.changes.keys()].filter((key) => key.startsWith(SET_ORDER)).sort(compareBytes);
  for (const key of keys) {
    const rejected = arrangeList(merge, key);
    if (rejected !== undefined) return rejected;
  }
  return undefined;
}

function arrangeList(
  { fields, changes, schema, mergeObjects }: Merge,
  written: string,
): StatusError | undefined {
  const order = changes.get(written);
  changes.delete(written);
  if (!isJsonList(order)) return badType('[]interface {}', order);
  if (!written.startsWith(`${SET_ORDER}/`)) return badOrder();
  const key = written.slice(SET_ORDER.length + 1);
  const live = fields.get(key);
  const change = changes.get(key);
  if (live !== undefined && !isJsonList(live)) return badType('[]interface {}', live);
  if (change !== undefined && !isJsonList(change)) return badType('[]interface {}', change);
  const meta = metaOfList(schema, key);
  if (meta.kind === 'error') return meta;
  const mismatch = change === undefined ? undefined : checkOrder(change, order, meta.value.mergeKey);
  if (mismatch !== undefined) return mismatch;
  if (live === undefined && change === undefined) return undefined;
  const merged = mergedList({ live, change, meta: meta.value, mergeObjects });
  if (merged.kind === 'error') return merged;
  const kind = kindOfItems([live ?? [], change ?? []]);
  if (kind.kind === 'error') return kind;
  const { mergeKey } = meta.value;
  const result = arranged({ ...merged.value, order, mergeKey, kind: kind.value });
  if (result.kind === 'error') return result;
  fields.set(key, result.value);
  changes.delete(key);
  return undefined;
}

function badOrder(): StatusError {
  return badRequest('invalid patch format of setElementOrder list');
}

type TwoLists = {
  readonly live: readonly Json[] | undefined;
  readonly change: readonly Json[] | undefined;
  readonly meta: PatchMeta;
  readonly mergeObjects: MergeObjects;
};

function mergedList({ live, change, meta, mergeObjects }: TwoLists): Patched<MergedList> {
  if (live === undefined) {
    const items = withoutDirectives(change ?? []);
    return patched({ items: isJsonList(items) ? items : [], live: [] });
  }
  if (change === undefined) return patched({ items: live, live });
  if (meta.strategy !== 'merge') return patched({ items: change, live });
  return mergeLists(live, change, { ...meta, mergeObjects });
}

/** The items that the patch sets must be listed in the same order. */
function checkOrder(
  patch: readonly Json[],
  order: readonly Json[],
  mergeKey: string,
): StatusError | undefined {
  if (patch.length === 0 || order.length === 0) return undefined;
  const stray = mergeKey === '' ? undefined : patch.find((item) => !isJsonObject(item));
  if (stray !== undefined) return badType('map[string]interface {}', stray);
  const kept = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item));
  let next = 0;
  for (const wanted of order) {
    while (hasDirective(kept[next])) next++;
    const item = kept[next];
    if (item === undefined) return undefined;
    const keyless = mergeKey === '' ? undefined : (lacksKey(item, mergeKey) ?? lacksKey(wanted, mergeKey));
    if (keyless !== undefined) return keyless;
    if (keyOf(item, mergeKey) === keyOf(wanted, mergeKey)) next++;
  }
  if (next >= kept.length) return undefined;
  return unknownError(
    `The order in patch list:\n${printed(patch)}\n doesn't match ${SET_ORDER} list:\n${printed(order)}\n`,
  );
}

function hasDirective(item: Json | undefined): boolean {
  return isJsonObject(item) && Object.hasOwn(item, DIRECTIVE);
}

function isDeletion(item: Json): boolean {
  return isJsonObject(item) && own(item, DIRECTIVE) === 'delete';
}
