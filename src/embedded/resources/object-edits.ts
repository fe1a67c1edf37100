/**
 * Edits of objects by copy. An object that does not change is returned as is, because caches are keyed by identity.
 */

import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { listAt, numberAt, objectAt } from '../../base/json-fields.ts';

/** The object with defaults for missing fields. */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  return Object.keys(defaults).every((key) => Object.hasOwn(object, key))
    ? object
    : { ...defaults, ...object };
}

/** The object with its field `key` changed, if that is an object. */
export function withChangedField(
  object: JsonObject,
  key: string,
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const value = objectAt(object, key);
  const changed = value === undefined ? undefined : change(value);
  return changed === undefined || changed === value ? object : { ...object, [key]: changed };
}

/** The object with each object in the list `key` changed, if it is a list. */
export function withChangedItems(
  object: JsonObject,
  key: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = listAt(object, key);
  const changed: readonly Json[] = list.map((item) => (isJsonObject(item) ? change(item) : item));
  return changed.every((item, index) => item === list[index]) ? object : { ...object, [key]: changed };
}

/** The metadata of an object; empty if it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  return objectAt(object, 'metadata') ?? {};
}

/** The object without some of its fields. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function withGeneration(object: JsonObject, generation: number): JsonObject {
  if (metadataOf(object).generation === generation) return object;
  return { ...object, metadata: { ...metadataOf(object), generation } };
}

export function generationOf(object: JsonObject): number {
  return numberAt(object, 'metadata', 'generation');
}

export function withOldStatus(object: JsonObject, old: JsonObject): JsonObject {
  return withFieldOf(object, old, 'status');
}

/** The object with another value at the path; missing objects on the way are created. */
export function withValueAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isJsonObject(value) ? value : object;
  if (rest.length === 0) return { ...object, [key]: value };
  return { ...object, [key]: withValueAt(objectAt(object, key) ?? {}, rest, value) };
}

/** The object with the field `key` of `other`, or without the field if `other` has none. */
export function withFieldOf(object: JsonObject, other: JsonObject, key: string): JsonObject {
  const value = own(other, key);
  if (value === own(object, key)) return object;
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest;
}
