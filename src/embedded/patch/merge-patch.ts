/**
 * JSON merge patch (RFC 7386) as kube-apiserver applies it: null removes a field, an object is merged, anything else
 * replaces.
 *
 * kube-apiserver also removes nulls from objects inside of lists, which the RFC would keep; a list that replaces an
 * object is the exception.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { badRequest } from '../status/index.ts';
import { setField } from './json-pointer.ts';
import { isJsonList, jsonTypeName, sameJson, traversalError } from './json-values.ts';
import { type Patched, patched } from './patched.ts';

export function applyMergePatch(document: Json, patch: unknown): Patched<Json> {
  const rejected = traversalError('the document', document) ?? traversalError('the patch', patch);
  if (rejected !== undefined) return rejected;
  // The check above ensures that it is JSON.
  const change = patch as Json;
  if (change === null) return badRequest('Invalid JSON Patch');
  if (!isJsonObject(change)) {
    const found = jsonTypeName(change);
    return badRequest(
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  return patched(isJsonObject(document) ? merged(document, change) : withoutNulls(change));
}

function merged(document: JsonObject, patch: JsonObject): JsonObject {
  // Patches have few fields, objects many.
  const fields: { [key: string]: Json } = { ...document };
  for (const key of Object.keys(patch)) {
    const change = patch[key] ?? null;
    if (change === null) delete fields[key];
    else setField(fields, key, mergedValue(own(document, key), change));
  }
  return fields;
}

function mergedValue(current: Json | undefined, change: Json): Json {
  if (isJsonList(current) && isJsonList(change)) return replacedList(current, change);
  if (!isJsonObject(current)) return withoutNulls(change);
  return isJsonObject(change) ? merged(current, change) : change;
}

/** A list is replaced as a whole, mostly by one that differs in a few items: the others stay identical. */
function replacedList(current: readonly Json[], change: readonly Json[]): readonly Json[] {
  const items = change.map((item, index) => {
    const kept = withoutNulls(item);
    const before = current[index];
    return before !== undefined && sameJson(before, kept) ? before : kept;
  });
  const isSame = items.length === current.length && items.every((item, index) => item === current[index]);
  return isSame ? current : items;
}

/** Null items of lists are kept: removing them would shift the others. */
function withoutNulls(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  // `null` is an object to `typeof`, too.
  if (!Object.values(value).some((item) => typeof item === 'object')) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
