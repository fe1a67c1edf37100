/**
 * The old values of an update, paired with the new ones.
 *
 * The server accepts an unchanged value although it is no longer valid ("ratcheting"), so that a stricter CRD does
 * not block updates of existing objects. For that, and for `oldSelf`, every part of the new value is paired with the
 * part it came from: fields and map entries by name, items of map lists by their keys, items of other lists not at
 * all.
 */
import { isObject, jsonEqual } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';

export class Correlated {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  readonly old: unknown;
  #unchanged: boolean | undefined;
  #items: KeyedItems | undefined;

  constructor(schema: StructuralSchema, value: unknown, old: unknown) {
    this.schema = schema;
    this.value = value;
    this.old = old;
  }

  /** The field or map entry of this name, if it exists before and after. */
  field(name: string): Correlated | undefined {
    if (!isObject(this.value) || !isObject(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    const schema = fieldSchema(this.schema, name);
    return schema && new Correlated(schema, this.value[name], this.old[name]);
  }

  /** The item at this index of the new list, if the old list has one with the same keys. */
  item(index: number): Correlated | undefined {
    if (!Array.isArray(this.value) || this.schema.items === undefined) return undefined;
    this.#items ??= keyedItems(this.schema, this.old);
    const item: unknown = this.value[index];
    const old = this.#items.get(item);
    return old === undefined ? undefined : new Correlated(this.schema.items, item, old);
  }

  /** Items of map lists may have been reordered. */
  isUnchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  #compare(): boolean {
    if (Array.isArray(this.value) && Array.isArray(this.old) && isMapList(this.schema)) {
      return (
        this.value.length === this.old.length &&
        this.value.every((_, index) => this.item(index)?.isUnchanged() ?? false)
      );
    }
    if (!isObject(this.value) || !isObject(this.old)) return jsonEqual(this.value, this.old);
    const names = Object.keys(this.value);
    return (
      names.length === Object.keys(this.old).length &&
      names.every((name) => this.field(name)?.isUnchanged() ?? false)
    );
  }
}

/** The schema of one field: from `properties`, or else from `additionalProperties`. */
export function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return isObject(additionalProperties) ? additionalProperties : undefined;
}

type KeyedItems = { get(item: unknown): unknown };

const NO_ITEMS: KeyedItems = { get: () => undefined };

/** The items of an old map list by their keys; the first of several with the same keys. */
export function keyedItems(schema: StructuralSchema, old: unknown): KeyedItems {
  if (!Array.isArray(old) || !isMapList(schema)) return NO_ITEMS;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    const key = compositeKey(keys, item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return {
    get(item) {
      const key = compositeKey(keys, item);
      return key === undefined ? undefined : byKey.get(key);
    },
  };
}

function isMapList(schema: StructuralSchema): boolean {
  return (
    schema['x-kubernetes-list-type'] === 'map' && (schema['x-kubernetes-list-map-keys'] ?? []).length > 0
  );
}

/** One string for the values of all keys; undefined if one is missing or is not a scalar. */
function compositeKey(keys: readonly string[], item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const parts: string[] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return undefined;
    parts.push(JSON.stringify(value));
  }
  return parts.join();
}
