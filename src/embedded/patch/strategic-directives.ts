/**
 * The `$patch` directive: replaces or deletes instead of merging.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { goType } from '../../base/text/index.ts';
import { type StatusError, unknownError } from '../status/index.ts';
import { isJsonList, printed } from './json-values.ts';
import { type Patched, patched } from './patched.ts';
import { keyOf, noMergeKey } from './strategic-items.ts';

export const DIRECTIVE = '$patch';

export type Sides = {
  readonly original: readonly JsonObject[];
  readonly patch: readonly JsonObject[];
  readonly isReplaced: boolean;
};

/** Applies `$patch` in list items: deletes an item, or replaces the whole list. */
export function afterDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): Patched<Sides> {
  const plain: JsonObject[] = [];
  const removed = new Set<string>();
  let replaces = false;
  for (const item of patch) {
    const directive = own(item, DIRECTIVE);
    if (directive === undefined) plain.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'merge') {
      return unknownError('merging lists cannot yet be specified in the patch');
    } else if (directive !== 'delete') return unknownDirective(directive, item);
    else if (!Object.hasOwn(item, mergeKey)) return noMergeKey(item, mergeKey);
    else removed.add(keyOf(item, mergeKey));
  }
  if (replaces) return patched({ original: plain, patch: [], isReplaced: true });
  const kept = original.filter(
    (item) => !Object.hasOwn(item, mergeKey) || !removed.has(keyOf(item, mergeKey)),
  );
  return patched({ original: kept, patch: plain, isReplaced: false });
}

export function unknownDirective(directive: Json, item: JsonObject): StatusError {
  const text =
    typeof directive === 'string'
      ? directive
      : `%!s(${directive === null ? '<nil>' : `${goType(directive)}=${printed(directive)}`})`;
  return unknownError(`unknown patch type: ${text} in map: ${printed(item)}`);
}

/** An object with a directive is no value, and is dropped. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isJsonList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept = Object.entries(value).map(([key, item]) => [key, withoutDirectives(item)] as const);
  return Object.fromEntries(kept.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
