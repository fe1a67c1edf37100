/**
 * Formats objects as YAML, JSON and names like kubectl: with sorted keys, and without managedFields by default.
 */
import { unreachable } from '../../base/errors.ts';
import { compareBytes, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import { type ApiResource, apiVersionText, objectLabel } from './api-resource.ts';

export type ObjectFormat = 'yaml' | 'json' | 'name';

export type ShownObject = { readonly resource: ApiResource; readonly object: JsonObject };

export function formatObject({ resource, object }: ShownObject, format: ObjectFormat): string {
  switch (format) {
    case 'yaml':
      return formatYaml(sortedAs(object, compareNaturally));
    case 'json':
      return `${JSON.stringify(sortedAs(object, compareBytes), null, 4)}\n`;
    case 'name':
      return `${objectLabel(resource, nameIn(object))}\n`;
    default:
      return unreachable(format);
  }
}

export function formatObjects(shown: readonly ShownObject[], format: ObjectFormat): string {
  if (format === 'name') return shown.map((one) => formatObject(one, format)).join('');
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: shown.map(({ object }) => object),
  };
  return format === 'yaml'
    ? formatYaml(sortedAs(list, compareNaturally))
    : `${JSON.stringify(sortedAs(list, compareBytes), null, 4)}\n`;
}

/** Adds apiVersion and kind, which items of lists omit. */
export function shownObject(
  resource: ApiResource,
  object: JsonObject,
  { withManagedFields }: { readonly withManagedFields: boolean },
): ShownObject {
  const typed = { apiVersion: apiVersionText(resource), kind: resource.kind, ...object };
  const { metadata } = typed as JsonObject;
  if (withManagedFields || !isJsonObject(metadata)) return { resource, object: typed };
  const { managedFields: _left, ...others } = metadata;
  return { resource, object: { ...typed, metadata: others } };
}

function nameIn({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? String(metadata.name ?? '') : '';
}

type Compare = (a: string, b: string) => number;

function sortedAs(value: Json, compare: Compare): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sortedAs(item, compare));
  if (!isJsonObject(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(sorted.map(([key, item]) => [key, sortedAs(item, compare)]));
}

/** The key order of kubectl's YAML: symbols before letters, and numbers by value: `disk-9`, `disk-10`. */
export function compareNaturally(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  const [one, other] = [left[at], right[at]];
  if (one === undefined || other === undefined) return left.length - right.length;
  const [isLetter, isOtherLetter] = [LETTER.test(one), LETTER.test(other)];
  if (isLetter !== isOtherLetter) return isLetter ? 1 : -1;
  if (isLetter) return compareBytes(one, other);
  const byNumber = numberAt(left, at) - numberAt(right, at);
  return byNumber === 0 ? compareBytes(one, other) : byNumber;
}

const LETTER = /^\p{L}$/u;

/** The number that includes this position, with the common digits before it; -1 if there is none. */
function numberAt(characters: readonly string[], at: number): number {
  const isDigit = (index: number) => /^[0-9]$/.test(characters[index] ?? '');
  if (!isDigit(at)) return -1;
  let start = at;
  while (isDigit(start - 1)) start--;
  let end = at;
  while (isDigit(end)) end++;
  return Number(characters.slice(start, end).join(''));
}
