/**
 * Strategic merge patches, as kube-apiserver applies them to built-in kinds: a merge patch that takes patch strategies
 * and merge keys of lists from the schema, with directives for the rest.
 *
 *     $patch: replace | delete             in an object or in an item of a list
 *     $retainKeys: [a, b]                  removes all other fields
 *     $deleteFromPrimitiveList/list: [x]   removes items
 *     $setElementOrder/list: [x, y]        the order of the items
 *
 * The result is not pruned: directives inside of added values stay there as unknown fields.
 */
import { compareBytes, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { badRequest, type StatusError } from '../status/index.ts';
import { isJsonList, jsonTypeName, traversalError } from './json-values.ts';
import { type Patched, patched } from './patched.ts';
import { DIRECTIVE, unknownDirective, withoutDirectives } from './strategic-directives.ts';
import { kindOfItems, withoutItems } from './strategic-items.ts';
import { mergeLists } from './strategic-lists.ts';
import { metaOfList, metaOfObject, type PatchMeta } from './strategic-meta.ts';
import { arrangeLists, SET_ORDER } from './strategic-order.ts';

export function applyStrategicMergePatch(
  schema: StructuralSchema,
  document: Json,
  patch: unknown,
): Patched<Json> {
  const rejected = traversalError('the document', document) ?? traversalError('the patch', patch);
  if (rejected !== undefined) return rejected;
  if (!isJsonObject(document)) return badRequest('invalid JSON document');
  // The check above ensures that it is JSON.
  const change = patch as Json;
  if (change === null) return patched(document);
  if (isJsonObject(change)) return mergeObjects(document, change, schema);
  const found = jsonTypeName(change);
  return badRequest(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
}

const DELETE_ITEMS = '$deleteFromPrimitiveList';
const RETAIN_KEYS = '$retainKeys';

function mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  schema: StructuralSchema,
): Patched<JsonObject> {
  const directive = own(patch, DIRECTIVE);
  if (directive !== undefined) return applyDirective(directive, patch);
  const fields = new Map(Object.entries(original));
  const changes = new Map(Object.entries(patch));
  const rejected = retainKeys(fields, changes) ?? arrangeLists({ fields, changes, schema, mergeObjects });
  if (rejected !== undefined) return rejected;
  // Sorted, so that items are deleted before others are added.
  for (const key of [...changes.keys()].sort(compareBytes)) {
    const failed = mergeField(fields, key, changes.get(key) ?? null, schema);
    if (failed !== undefined) return failed;
  }
  return patched(Object.fromEntries(fields));
}

/** The result of a `$patch` directive in an object. Directives inside of the new object are ignored. */
function applyDirective(directive: Json, patch: JsonObject): Patched<JsonObject> {
  if (directive === 'delete') return patched({});
  if (directive !== 'replace') return unknownDirective(directive, patch);
  return patched(Object.fromEntries(Object.entries(patch).filter(([key]) => key !== DIRECTIVE)));
}

/** Removes the fields that `$retainKeys` does not list; the patch may not set others. */
function retainKeys(fields: Map<string, Json>, changes: Map<string, Json>): StatusError | undefined {
  const list = changes.get(RETAIN_KEYS);
  if (list === undefined) return undefined;
  changes.delete(RETAIN_KEYS);
  if (!isJsonList(list) || list.some((item) => typeof item === 'object' && item !== null)) return badKeys();
  const kept = new Set(list);
  for (const [key, value] of changes) {
    const isDirective = key.startsWith(DELETE_ITEMS) || key.startsWith(SET_ORDER);
    if (value !== null && !isDirective && !kept.has(key)) return badKeys();
  }
  for (const key of fields.keys()) if (!kept.has(key)) fields.delete(key);
  return undefined;
}

function badKeys(): StatusError {
  return badRequest('invalid patch format of retainKeys');
}

function mergeField(
  fields: Map<string, Json>,
  written: string,
  change: Json,
  schema: StructuralSchema,
): StatusError | undefined {
  const isDeletion = written.startsWith(DELETE_ITEMS);
  if (isDeletion && !written.startsWith(`${DELETE_ITEMS}/`)) {
    return badRequest('invalid patch format of primitive list');
  }
  const key = isDeletion ? written.slice(DELETE_ITEMS.length + 1) || written : written;
  if (change === null) {
    fields.delete(key);
    return undefined;
  }
  const current = fields.get(key);
  if (isJsonObject(current) && isJsonObject(change))
    return mergeObject(fields, key, { current, change, schema });
  if (isJsonList(current) && isJsonList(change)) {
    return mergeList(fields, key, { current, change, schema, isDeletion });
  }
  if (isDeletion) return undefined;
  const value = withoutDirectives(withoutNulls(change));
  if (value === undefined) fields.delete(key);
  else fields.set(key, value);
  return undefined;
}

type ObjectChange = {
  readonly current: JsonObject;
  readonly change: JsonObject;
  readonly schema: StructuralSchema;
};

function mergeObject(
  fields: Map<string, Json>,
  key: string,
  { current, change, schema }: ObjectChange,
): StatusError | undefined {
  const meta = metaOfObject(schema, key);
  if (meta.kind === 'error') return meta;
  const merged =
    meta.value.strategy === 'replace' ? patched(change) : mergeObjects(current, change, meta.value.schema);
  if (merged.kind === 'error') return merged;
  fields.set(key, merged.value);
  return undefined;
}

type ListChange = {
  readonly current: readonly Json[];
  readonly change: readonly Json[];
  readonly schema: StructuralSchema;
  readonly isDeletion: boolean;
};

function mergeList(
  fields: Map<string, Json>,
  key: string,
  { current, change, schema, isDeletion }: ListChange,
): StatusError | undefined {
  const meta = metaOfList(schema, key);
  if (meta.kind === 'error') return meta;
  if (meta.value.strategy !== 'merge' && !isDeletion) {
    fields.set(key, change);
    return undefined;
  }
  const items = isDeletion
    ? itemsAfterDeletion(current, change, meta.value)
    : mergeLists(current, change, { ...meta.value, mergeObjects });
  if (items.kind === 'error') return items;
  fields.set(key, items.value.items);
  return undefined;
}

/** For lists of objects kube-apiserver does not distinguish between adding and deleting. */
function itemsAfterDeletion(
  current: readonly Json[],
  named: readonly Json[],
  meta: PatchMeta,
): Patched<{ readonly items: readonly Json[] }> {
  if (current.length === 0 && named.length === 0) return patched({ items: current });
  const kind = kindOfItems([current, named]);
  if (kind.kind === 'error') return kind;
  if (kind.value === 'scalar') return patched({ items: withoutItems(current, named) });
  return mergeLists(current, named, { ...meta, mergeObjects });
}

function withoutNulls(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
