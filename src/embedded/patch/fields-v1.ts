/**
 * FieldsV1: the format of field sets in `metadata.managedFields`.
 *
 *     {"f:spec": {"f:replicas": {}, "f:list": {".": {}, "k:{\"name\":\"a\"}": {"f:value": {}}}}}
 *
 * An empty object is a member; `.` marks an object with children as a member, too.
 */
import {
  isJsonObject,
  isObject,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  own,
  parseJson,
} from '../../base/json.ts';
import { EMPTY_SET, type FieldSet, type FieldSetChild } from './field-set.ts';
import { traversalError } from './json-values.ts';
import {
  compareElements,
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  valueElement,
} from './path-element.ts';

/** Keys are in the order in which Kubernetes writes them. */
export function encodeFields(set: FieldSet): JsonObject {
  const known = encodedSets.get(set) ?? encoded(set, false);
  encodedSets.set(set, known);
  return known;
}

/** A manager that writes the same fields again owns the same set. */
const encodedSets = new WeakMap<FieldSet, JsonObject>();

function encoded({ members, children }: FieldSet, isMember: boolean): JsonObject {
  const elements = [...members.values()];
  for (const [id, { element }] of children) if (!members.has(id)) elements.push(element);
  // Every key starts with a letter and a colon, so none is special to JavaScript objects.
  const fields: { [key: string]: Json } = isMember && elements.length > 0 ? { '.': NO_MORE } : {};
  for (const id of sortedIds(elements)) {
    const child = children.get(id);
    fields[id] = child === undefined ? NO_MORE : encoded(child.set, members.has(id));
  }
  return fields;
}

/** Shared: an object may have very many fields. */
const NO_MORE: JsonObject = {};

function sortedIds(elements: readonly PathElement[]): readonly string[] {
  // Names within the basic multilingual plane sort by bytes as by code units.
  const isPlain = elements.every(({ kind, id }) => kind === 'field' && !SURROGATE.test(id));
  if (isPlain) return elements.map(({ id }) => id).sort();
  return elements.toSorted(compareElements).map(({ id }) => id);
}

const SURROGATE = /[\ud800-\udfff]/;

/** The set, or why it is malformed. Unknown kinds of path elements are skipped. */
export function decodeFields(fields: unknown): FieldSet | { readonly failure: string } {
  if (fields === null) return EMPTY_SET;
  if (!isObject(fields)) return { failure: 'the fields are no object' };
  if (traversalError('the fields', fields) !== undefined) {
    return { failure: `the fields are not JSON or nest deeper than ${MAX_JSON_DEPTH} levels` };
  }
  const read = decoded(fields);
  return 'failure' in read ? read : (read.set ?? EMPTY_SET);
}

type Decoded =
  | { readonly set: FieldSet | undefined; readonly isMember: boolean }
  | { readonly failure: string };

function decoded(fields: { readonly [key: string]: unknown }): Decoded {
  const members = new Map<string, PathElement>();
  const children = new Map<string, FieldSetChild>();
  for (const key of Object.keys(fields)) {
    if (key === '.') continue;
    const element = elementOf(key);
    if (element === undefined) continue;
    if ('failure' in element) return element;
    const value = fields[key];
    if (value !== null && !isObject(value)) return { failure: `the value of ${key} is no object` };
    const below = decoded(value ?? {});
    if ('failure' in below) return below;
    if (below.isMember) members.set(element.id, element);
    if (below.set !== undefined) children.set(element.id, { element, set: below.set });
  }
  const set = members.size + children.size === 0 ? undefined : { members, children };
  return { set, isMember: set === undefined || own(fields, '.') !== undefined };
}

/** Undefined for a kind that a later version may define. */
function elementOf(key: string): PathElement | { readonly failure: string } | undefined {
  if (key.length < 2) return { failure: `key must be 2 characters long: ${key}` };
  if (key[1] !== ':') return { failure: `missing colon: ${key}` };
  const text = key.slice(2);
  const problem = { failure: `no path element: ${key}` };
  switch (key[0]) {
    case 'f':
      return fieldElement(text);
    case 'i':
      return /^[+-]?\d{1,15}$/.test(text) ? indexElement(Number(text)) : problem;
    case 'v': {
      const value = parsed(text);
      return value === undefined ? problem : valueElement(value);
    }
    case 'k': {
      const value = parsed(text);
      if (!isJsonObject(value)) return problem;
      return keyElement(Object.entries(value).map(([name, item]) => ({ name, value: item })));
    }
    default:
      return undefined;
  }
}

function parsed(text: string): Json | undefined {
  const value = parseJson(text);
  // Deep values would overflow the stack when compared.
  return traversalError('the key', value) === undefined ? value : undefined;
}
