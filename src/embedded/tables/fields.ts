/**
 * Reading an object of any kind. What is not there, or has another type, counts as Go's zero value of what was
 * asked for: so does the server, and a row is printed whatever the object holds.
 */
import { compareBytes, isObject } from '../../base/json.ts';
import { listAt, stringAt, valueAt } from '../../base/json-fields.ts';

/** The entries of a map of texts, such as labels, in the order of their keys. */
export function entriesAt(
  object: unknown,
  ...path: readonly string[]
): readonly (readonly [string, string])[] {
  const map = valueAt(object, ...path);
  if (!isObject(map)) return [];
  return Object.keys(map)
    .sort(compareBytes)
    .map((key) => [key, stringAt(map, key)]);
}

/** How many entries a map has. */
export function sizeAt(object: unknown, ...path: readonly string[]): number {
  const map = valueAt(object, ...path);
  return isObject(map) ? Object.keys(map).length : 0;
}

/** The status of the first condition of the type: `True`, `False`, `Unknown`; nothing where there is none. */
export function conditionStatus(object: unknown, type: string): string | undefined {
  const condition = listAt(object, 'status', 'conditions').find((one) => stringAt(one, 'type') === type);
  return condition === undefined ? undefined : stringAt(condition, 'status');
}
