/**
 * Identity of list items in a strategic merge patch.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { goType } from '../../base/text/index.ts';
import { type StatusError, unknownError, unprocessable } from '../status/index.ts';
import { isJsonList, printed } from './json-values.ts';
import { type Patched, patched } from './patched.ts';

/** Objects are identified by their merge key, scalars by their value. */
export type ItemKind = 'object' | 'scalar';

/** All items must have the same type, and none may be a list. */
export function kindOfItems(lists: readonly (readonly Json[])[]): Patched<ItemKind> {
  let type: string | undefined;
  for (const item of lists.flat(1)) {
    const current = item === null ? 'nil' : goType(item);
    if (type === undefined && isJsonList(item)) return unprocessable('lists of lists are not supported');
    if (current === 'nil' || (type !== undefined && type !== current)) {
      return unknownError(`list element types are not identical: [${lists.map(printed).join(' ')}]`);
    }
    type = current;
  }
  if (type === undefined) return unknownError('no elements in any of the given slices');
  return patched(type.startsWith('map') ? 'object' : 'scalar');
}

export function lacksKey(item: Json, mergeKey: string): StatusError | undefined {
  if (!isJsonObject(item)) return badType('map[string]interface {}', item);
  return Object.hasOwn(item, mergeKey) ? undefined : noMergeKey(item, mergeKey);
}

export function badType(expected: string, actual: Json | undefined): StatusError {
  const received = actual === undefined || actual === null ? '%!s(<nil>)' : goType(actual);
  return unknownError(`expected a ${expected}, but received a ${received}`);
}

/** The identity of an item: its merge key, or its value. */
export function keyOf(item: Json, mergeKey: string): string {
  return nameOf(mergeKey === '' || !isJsonObject(item) ? item : (own(item, mergeKey) ?? null));
}

/** A unique text for a scalar. */
function nameOf(value: Json): string {
  return `${typeof value} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
}

export function noMergeKey(item: JsonObject, mergeKey: string): StatusError {
  return unknownError(`map: ${printed(item)} does not contain declared merge key: ${mergeKey}`);
}

export function withoutDuplicates(items: readonly Json[]): readonly Json[] {
  return [...new Map(items.map((item) => [nameOf(item), item])).values()];
}

/** `$deleteFromPrimitiveList`: the list without the given scalars. */
export function withoutItems(original: readonly Json[], named: readonly Json[]): readonly Json[] {
  const removed = new Set(named.map(nameOf));
  return original.filter((item) => !removed.has(nameOf(item)));
}
