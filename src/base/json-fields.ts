/**
 * Fields of objects of unknown shape: own keys only, and a value of the wrong type counts as absent, so nothing here
 * throws. Absent reads as Go's zero value: '', 0, an empty list or map. Where absent and empty differ, use the
 * `optional…` form, which returns undefined.
 */
import { isObject, type Json, type JsonObject, own } from './json.ts';

export type Fields = { readonly [key: string]: unknown };

/** The value at the path; undefined where a step is missing, is no object, or the value is null. */
export function valueAt(object: Json | undefined, ...path: readonly string[]): Json | undefined;
export function valueAt(object: unknown, ...path: readonly string[]): unknown;
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = own(value, key);
  }
  return value ?? undefined;
}

export function objectAt(object: Json | undefined, ...path: readonly string[]): JsonObject | undefined;
export function objectAt(object: unknown, ...path: readonly string[]): Fields | undefined;
export function objectAt(object: unknown, ...path: readonly string[]): Fields | undefined {
  const value = valueAt(object, ...path);
  return isObject(value) ? value : undefined;
}

/** The items of a list, of any type. */
export function listAt(object: Json | undefined, ...path: readonly string[]): readonly Json[];
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[];
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** The items of a list that are objects. */
export function objectsAt(object: Json | undefined, ...path: readonly string[]): readonly JsonObject[];
export function objectsAt(object: unknown, ...path: readonly string[]): readonly Fields[];
export function objectsAt(object: unknown, ...path: readonly string[]): readonly Fields[] {
  return listAt(object, ...path).filter(isObject);
}

export function stringAt(object: unknown, ...path: readonly string[]): string {
  return optionalStringAt(object, ...path) ?? '';
}

export function optionalStringAt(object: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : undefined;
}

/** The strings of a list. */
export function stringsAt(object: unknown, ...path: readonly string[]): readonly string[] {
  return optionalStringsAt(object, ...path) ?? [];
}

export function optionalStringsAt(
  object: unknown,
  ...path: readonly string[]
): readonly string[] | undefined {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

export function numberAt(object: unknown, ...path: readonly string[]): number {
  return optionalNumberAt(object, ...path) ?? 0;
}

export function optionalNumberAt(object: unknown, ...path: readonly string[]): number | undefined {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : undefined;
}

type StringMap = { readonly [key: string]: string };

/** The entries of a map, such as labels, that are strings. */
export function stringMapAt(object: unknown, ...path: readonly string[]): StringMap {
  return optionalStringMapAt(object, ...path) ?? {};
}

export function optionalStringMapAt(object: unknown, ...path: readonly string[]): StringMap | undefined {
  const map = objectAt(object, ...path);
  if (map === undefined || isStringMap(map)) return map;
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function isStringMap(map: Fields): map is StringMap {
  for (const key of Object.keys(map)) if (typeof map[key] !== 'string') return false;
  return true;
}
