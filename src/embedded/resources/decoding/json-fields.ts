/**
 * Looking into objects that may hold anything: what has the wrong shape counts as absent, so that rules never
 * throw, and own keys alone are seen.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../../base/json.ts';

/** What stands at the path, if every step to it is an object that has it. Null is as good as nothing. */
export function valueAt(object: Json | undefined, ...path: readonly string[]): Json | undefined {
  let at: Json | undefined = object;
  for (const key of path) {
    if (!isJsonObject(at)) return undefined;
    // An own member of a JSON object is JSON.
    at = own(at, key) as Json | undefined;
  }
  return at ?? undefined;
}

export function objectAt(object: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const value = valueAt(object, ...path);
  return isJsonObject(value) ? value : undefined;
}

export function listAt(object: Json | undefined, ...path: readonly string[]): readonly Json[] | undefined {
  const value = valueAt(object, ...path);
  return isList(value) ? value : undefined;
}

/** The objects of a list; none where there is no list. */
export function itemsAt(object: Json | undefined, ...path: readonly string[]): readonly JsonObject[] {
  return (listAt(object, ...path) ?? []).map((item) => (isJsonObject(item) ? item : {}));
}

/** The texts of a list, where there is one. */
export function textsAt(object: Json | undefined, ...path: readonly string[]): readonly string[] | undefined {
  return listAt(object, ...path)?.map((item) => (typeof item === 'string' ? item : ''));
}

/** A text that is not there is empty, as in Go. */
export function textAt(object: Json | undefined, ...path: readonly string[]): string {
  return optionalTextAt(object, ...path) ?? '';
}

export function optionalTextAt(object: Json | undefined, ...path: readonly string[]): string | undefined {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: Json | undefined, ...path: readonly string[]): number | undefined {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** Labels and the like: the entries that are texts, where there is a map. */
export function textMapAt(
  object: Json | undefined,
  ...path: readonly string[]
): { readonly [key: string]: string } | undefined {
  const map = objectAt(object, ...path);
  if (map === undefined || isTextMap(map)) return map;
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function isTextMap(map: JsonObject): map is { readonly [key: string]: string } {
  for (const key of Object.keys(map)) if (typeof map[key] !== 'string') return false;
  return true;
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
  const value = own(other, key) as Json | undefined;
  if (value === own(object, key)) return object;
  if (value !== undefined) return { ...object, [key]: value };
  const { [key]: _, ...rest } = object;
  return rest;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
