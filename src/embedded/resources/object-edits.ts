/**
 * Changing parts of objects without changing the objects. Where nothing changes they are given back as they are: what is
 * known of them is known by them.
 */

import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { listAt, numberAt, objectAt } from '../../base/json-fields.ts';

/** The object with defaults for what it does not say. */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  return Object.keys(defaults).every((key) => Object.hasOwn(object, key))
    ? object
    : { ...defaults, ...object };
}

/** The object with the one below the key changed, if there is one. */
export function withChangedField(
  object: JsonObject,
  key: string,
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const value = objectAt(object, key);
  const changed = value === undefined ? undefined : change(value);
  return changed === undefined || changed === value ? object : { ...object, [key]: changed };
}

/** The object with each object of the list below the key changed, if there is one. */
export function withChangedItems(
  object: JsonObject,
  key: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = listAt(object, key);
  const changed: readonly Json[] = list.map((item) => (isJsonObject(item) ? change(item) : item));
  return changed.every((item, index) => item === list[index]) ? object : { ...object, [key]: changed };
}

/** The metadata of an object, empty where there is none. */
export function metadataOf(object: JsonObject): JsonObject {
  return objectAt(object, 'metadata') ?? {};
}

/** The object without some of its keys. */
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

/** The object with another value at the path; steps that are missing become objects. */
export function withValueAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isJsonObject(value) ? value : object;
  if (rest.length === 0) return { ...object, [key]: value };
  return { ...object, [key]: withValueAt(objectAt(object, key) ?? {}, rest, value) };
}

/** The object with what the other one has at this key, or without it where the other has not. */
export function withFieldOf(object: JsonObject, other: JsonObject, key: string): JsonObject {
  const value = own(other, key);
  if (value === own(object, key)) return object;
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest;
}
