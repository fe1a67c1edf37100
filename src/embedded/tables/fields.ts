/**
 * Field access for printers. A missing field or a value of another type counts as Go's zero value, as in
 * kube-apiserver, so that every object can be printed.
 */
import { compareBytes, isObject } from '../../base/json.ts';
import { listAt, stringAt, valueAt } from '../../base/json-fields.ts';

/** The entries of a map of strings, such as labels, sorted by key. */
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

/** The number of entries of a map. */
export function sizeAt(object: unknown, ...path: readonly string[]): number {
  const map = valueAt(object, ...path);
  return isObject(map) ? Object.keys(map).length : 0;
}

/** The status of the first condition of the type: `True`, `False`, `Unknown`; undefined if there is none. */
export function conditionStatus(object: unknown, type: string): string | undefined {
  const condition = listAt(object, 'status', 'conditions').find((one) => stringAt(one, 'type') === type);
  return condition === undefined ? undefined : stringAt(condition, 'status');
}
