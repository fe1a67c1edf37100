/**
 * Values of a shape: which of the possible types a value has, and the identity of list items.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { isJsonList } from './json-values.ts';
import { type Key, keyElement, type PathElement, valueElement } from './path-element.ts';
import type { ListShape, MapShape, ScalarShape, Shape } from './shape.ts';

/** The type of a value; `open` if undetermined, as for null. */
export type Kind = 'scalar' | 'list' | 'map' | 'open';

export function kindOf(shape: Shape, value: Json | undefined): Kind {
  const own = ownKind(value);
  return own !== undefined && shape[own] !== undefined ? own : 'open';
}

function ownKind(value: Json | undefined): Exclude<Kind, 'open'> | undefined {
  if (value === undefined || value === null) return undefined;
  if (isJsonList(value)) return 'list';
  return typeof value === 'object' ? 'map' : 'scalar';
}

type Treatment<T> = {
  readonly map: (shape: MapShape) => T;
  readonly scalar: (type: ScalarShape) => T;
  readonly list: (shape: ListShape) => T;
};

/** Dispatches on the type; an open value is treated as a map before a scalar before a list. */
export function dispatchKind<T>(kind: Kind, shape: Shape, treatment: Treatment<T>): T | undefined {
  const { map, scalar, list } = shape;
  if (map !== undefined && (kind === 'map' || kind === 'open')) return treatment.map(map);
  if (scalar !== undefined && (kind === 'scalar' || kind === 'open')) return treatment.scalar(scalar);
  return list === undefined ? undefined : treatment.list(list);
}

/** The value if it is a non-empty object. */
export function filledObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

export function filledList(value: Json | undefined): readonly Json[] | undefined {
  return isJsonList(value) && value.length > 0 ? value : undefined;
}

/** The path element of an item of a set or associative list, or why it has none. */
export function itemElement(list: ListShape, item: Json): PathElement | { readonly failure: string } {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

/** For valid lists: an item without identity is represented by its value. */
export function knownElement(list: ListShape, item: Json): PathElement {
  const element = itemElement(list, item);
  return 'failure' in element ? valueElement(item) : element;
}

function keyedElement(list: ListShape, item: Json): PathElement | { readonly failure: string } {
  if (item === null) return { failure: 'associative list with keys may not have a null element' };
  if (!isJsonObject(item)) return { failure: 'associative list with keys may not have non-map elements' };
  const keys: Key[] = [];
  for (const name of list.keys) {
    const value = own(item, name);
    if (value !== undefined) {
      keys.push({ name, value });
      continue;
    }
    if (list.items.map === undefined) {
      return {
        failure: `couldn't find default value for ${name}: associative list may not have non-map types`,
      };
    }
    const byDefault = list.items.map.field(name)?.default;
    if (byDefault === undefined || byDefault === null) {
      return {
        failure: `associative list with keys has an element that omits key field "${name}" (and doesn't have default value)`,
      };
    }
    keys.push({ name, value: byDefault });
  }
  return keyElement(keys);
}

function setElement(item: Json): PathElement | { readonly failure: string } {
  if (item === null)
    return { failure: "associative list without keys has an element that's an explicit null" };
  if (isJsonList(item)) return { failure: 'not supported: associative list with lists as elements' };
  if (isJsonObject(item))
    return { failure: "associative list without keys has an element that's a map type" };
  return valueElement(item);
}
