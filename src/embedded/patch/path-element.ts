/**
 * An element of a field path: a field, a list item by keys or by value, or an index.
 *
 * Its `id` is its FieldsV1 form (`f:spec`, `k:{"name":"a"}`, `v:"x"`, `i:0`); elements with the same id are equal.
 */
import { compareBytes, isJsonObject, type Json } from '../../base/json.ts';
import { floatText, isWhole, numeral, quoted } from '../../base/text/index.ts';
import { goJson, isJsonList } from './json-values.ts';

export type PathElement =
  | { readonly kind: 'field'; readonly id: string; readonly name: string }
  /** Sorted by name. */
  | { readonly kind: 'key'; readonly id: string; readonly keys: readonly Key[] }
  | { readonly kind: 'value'; readonly id: string; readonly value: Json }
  | { readonly kind: 'index'; readonly id: string; readonly index: number };

export type Key = { readonly name: string; readonly value: Json };
export type Path = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return { kind: 'field', id: `f:${name}`, name };
}

export function keyElement(keys: readonly Key[]): PathElement {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    return { kind: 'key', id: `k:{${JSON.stringify(only.name)}:${elementJson(only.value)}}`, keys };
  }
  const sorted = keys.toSorted((a, b) => compareBytes(a.name, b.name));
  const fields = sorted.map(({ name, value }) => `${JSON.stringify(name)}:${elementJson(value)}`);
  return { kind: 'key', id: `k:{${fields.join(',')}}`, keys: sorted };
}

export function valueElement(value: Json): PathElement {
  return { kind: 'value', id: `v:${elementJson(value)}`, value };
}

export function indexElement(index: number): PathElement {
  return { kind: 'index', id: `i:${index}`, index };
}

/** The library that writes FieldsV1 formats small numbers and two control characters in its own way. */
function elementJson(value: Json): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  const text = goJson(value);
  if (typeof value === 'number') return text.replace(/e-(\d)$/, 'e-0$1');
  if (typeof value !== 'string') return text;
  return text.replace(/\\[\\bf]/g, (found) => ESCAPES.get(found) ?? found);
}

/** Needs no escaping. */
const PLAIN = /^[\w./:@ -]*$/;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);

/** Fields first, then keys, values and indexes; each in their order. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareBytes(a.name, b.name);
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.keys, b.keys);
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value);
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  return RANKS.indexOf(a.kind) - RANKS.indexOf(b.kind);
}

const RANKS: readonly PathElement['kind'][] = ['field', 'key', 'value', 'index'];

function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (const [index, { name, value }] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareBytes(name, other.name) || compareValues(value, other.value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers, strings, booleans, lists, objects, null, in this order. */
function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const rank = rankOf(a) - rankOf(b);
  // No server writes lists and objects as keys; any order will do.
  return rank === 0 ? compareBytes(goJson(a), goJson(b)) : rank;
}

function rankOf(value: Json): number {
  if (value === null) return 5;
  if (isJsonList(value)) return 3;
  return { number: 0, string: 1, boolean: 2, object: 4 }[
    typeof value as 'number' | 'string' | 'boolean' | 'object'
  ];
}

/**
 * `.spec.containers[name="a"].image`. kube-apiserver decodes numbers in FieldsV1 as floats, and prints them as such.
 */
export function pathText(path: Path, numbers: 'floats' | 'whole' = 'floats'): string {
  return path.map((element) => elementText(element, numbers)).join('');
}

function elementText(element: PathElement, numbers: 'floats' | 'whole'): string {
  const text = (value: Json) => valueText(value, numbers);
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.keys.map(({ name, value }) => `${name}=${text(value)}`).join(',')}]`;
    case 'value':
      return `[=${text(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

function valueText(value: Json, numbers: 'floats' | 'whole'): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') {
    return numbers === 'whole' && isWhole(value) ? numeral(value) : floatText(value);
  }
  if (isJsonList(value)) return `[${value.map((item) => valueText(item, numbers)).join(',')}]`;
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, item]) => `${key}=${valueText(item, numbers)}`)
    .join('');
}
