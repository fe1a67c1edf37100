/**
 * Changing parts of objects without changing the objects. Where nothing changes they are given back as they are: what is
 * known of them is known by them.
 */

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { listAt, objectAt } from '../../base/json-fields.ts';

/** The object with defaults for what it does not say. */
export function filledWith(object: JsonObject, defaults: JsonObject): JsonObject {
  return Object.keys(defaults).every((key) => Object.hasOwn(object, key))
    ? object
    : { ...defaults, ...object };
}

/** The object with the one below the key changed, if there is one. */
export function changedAt(
  object: JsonObject,
  key: string,
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const value = objectAt(object, key);
  const changed = value === undefined ? undefined : change(value);
  return changed === undefined || changed === value ? object : { ...object, [key]: changed };
}

/** The object with each object of the list below the key changed, if there is one. */
export function eachChangedAt(
  object: JsonObject,
  key: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = listAt(object, key);
  const changed: readonly Json[] = list.map((item) => (isJsonObject(item) ? change(item) : item));
  return changed.every((item, index) => item === list[index]) ? object : { ...object, [key]: changed };
}
