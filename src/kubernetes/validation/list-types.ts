/**
 * Uniqueness in lists: the items of a set, and the keys of the items of a map list.
 */
import type { Problem } from '../../base/errors.ts';
import { canonicalJson, isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { fieldSchema } from './correlated.ts';
import { duplicateValue, invalidValue } from './problems.ts';

export function checkListTypes(schema: StructuralSchema, value: unknown, path: string): readonly Problem[] {
  if (!mentionsListTypes(schema)) return [];
  if (Array.isArray(value)) {
    const items: StructuralSchema = schema.items ?? {};
    return [
      ...duplicates(schema, value, path),
      ...value.flatMap((item, index) => checkListTypes(items, item, `${path}[${index}]`)),
    ];
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const child = fieldSchema(schema, key);
    return child === undefined ? [] : checkListTypes(child, value[key], childPath(schema, path, key));
  });
}

/** Fields follow a dot, entries of a map are in brackets. */
export function childPath(schema: StructuralSchema, path: string, key: string): string {
  const isField = schema.properties !== undefined && Object.hasOwn(schema.properties, key);
  if (!isField) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

const mentions = new WeakMap<StructuralSchema, boolean>();

/** Most parts of most schemas have neither sets nor map lists; those are skipped. */
function mentionsListTypes(schema: StructuralSchema): boolean {
  const known = mentions.get(schema);
  if (known !== undefined) return known;
  const type = schema['x-kubernetes-list-type'];
  const { items, additionalProperties, properties } = schema;
  const found =
    type === 'set' ||
    type === 'map' ||
    (items !== undefined && mentionsListTypes(items)) ||
    (isObject(additionalProperties) && mentionsListTypes(additionalProperties)) ||
    (properties !== undefined && Object.values(properties).some(mentionsListTypes));
  mentions.set(schema, found);
  return found;
}

function duplicates(schema: StructuralSchema, items: readonly unknown[], path: string): readonly Problem[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return secondOnes(items).map((index) => duplicateValue(`${path}[${index}]`, items[index]));
    case 'map': {
      const stray = items.findIndex((item) => item !== null && !isObject(item));
      if (stray >= 0) {
        const detail = 'must be an object for an array of list-type map';
        return [invalidValue(`${path}[${stray}]`, items[stray], detail)];
      }
      const names = schema['x-kubernetes-list-map-keys'] ?? [];
      if (areDistinctTexts(names, items)) return [];
      const keys = items.map((item) => keysOf(names, item));
      return secondOnes(keys).map((index) => duplicateValue(`${path}[${index}]`, keys[index]));
    }
    default:
      return [];
  }
}

/** The common case, found quickly: one key, all of its values texts, and no two the same. */
function areDistinctTexts(names: readonly string[], items: readonly unknown[]): boolean {
  const [name] = names;
  if (name === undefined || names.length > 1) return false;
  const seen = new Set<unknown>();
  for (const item of items) {
    const value = isObject(item) && Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof value !== 'string') return false;
    seen.add(value);
  }
  return seen.size === items.length;
}

/** The second occurrence of a value; further ones are not reported. */
function secondOnes(values: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  return [...values.keys()].filter((index) => {
    const key = canonicalJson(values[index]);
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    return count === 2;
  });
}

function keysOf(names: readonly string[], item: unknown): { readonly [name: string]: unknown } {
  if (!isObject(item)) return {};
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]),
  );
}
