/**
 * Copies of objects with single fields replaced.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../../base/json.ts';
import { objectAt } from '../../../base/json-fields.ts';

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
