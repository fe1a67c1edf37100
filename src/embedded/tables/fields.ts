/**
 * Reading an object of any kind. What is not there, or has another type, counts as Go's zero value of what was
 * asked for: so does the server, and a row is printed whatever the object holds.
 */
import { compareBytes, isObject, own } from '../../base/json.ts';

export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? own(value, name) : undefined), object);
}

export function textAt(object: unknown, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

export function numberAt(object: unknown, ...path: readonly string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : 0;
}

export function itemsAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

export function textsAt(object: unknown, ...path: readonly string[]): readonly string[] {
  return itemsAt(object, ...path).filter((item) => typeof item === 'string');
}

/** The entries of a map of texts, such as labels, in the order of their keys. */
export function entriesAt(
  object: unknown,
  ...path: readonly string[]
): readonly (readonly [string, string])[] {
  const map = valueAt(object, ...path);
  if (!isObject(map)) return [];
  return Object.keys(map)
    .sort(compareBytes)
    .map((key) => [key, textAt(map, key)]);
}

/** How many entries a map has. */
export function sizeAt(object: unknown, ...path: readonly string[]): number {
  const map = valueAt(object, ...path);
  return isObject(map) ? Object.keys(map).length : 0;
}

export const nameOf = (object: unknown): string => textAt(object, 'metadata', 'name');

/** The status of the first condition of the type: `True`, `False`, `Unknown`; nothing where there is none. */
export function conditionStatus(object: unknown, type: string): string | undefined {
  const condition = itemsAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === type);
  return condition === undefined ? undefined : textAt(condition, 'status');
}
