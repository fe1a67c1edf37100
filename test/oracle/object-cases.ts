/**
 * Valid objects and objects with one error, made from samples.
 */
import { isObject } from '../../src/base/json.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import type { ObjectSample } from './corpus.ts';

export type ObjectCase = {
  readonly name: string;
  readonly object: JsonLike;
  /** The object before an update. */
  readonly old?: JsonLike;
};

export type JsonLike = { readonly [key: string]: unknown };

/** The apiVersion and kind of the objects, and the schema. */
export type CaseKind = {
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly schema: StructuralSchema;
};

/** The sample itself, its edits, and every value in it replaced, one by one, by an unsuitable one. */
export function objectCases(sample: ObjectSample, kind: CaseKind): readonly ObjectCase[] {
  const whole = wholeObject(sample, kind);
  return [
    { name: 'the sample itself', object: whole },
    { name: 'the sample over itself', object: whole, old: whole },
    ...editsOf(sample, whole),
    ...mutationsOf(whole, kind.schema),
  ];
}

function wholeObject(sample: ObjectSample, { apiVersion, namespace }: CaseKind): JsonLike {
  const { kind, name, spec, status } = sample;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace && { namespace }), resourceVersion: '1' },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

function editsOf(sample: ObjectSample, whole: JsonLike): readonly ObjectCase[] {
  return sample.edits.flatMap(({ at, values, base = {}, ...edit }) => {
    const start = Object.entries(base).reduce((object, [path, value]) => put(object, path, value), whole);
    const old = Object.hasOwn(edit, 'from') ? put(start, at, edit.from) : undefined;
    return values.flatMap((value, index) => {
      const name = `${at} #${index + 1} ${shortText(value)}`;
      const object = put(start, at, value);
      const updated = { name: `${name}, updated`, object, old: old ?? start };
      return old === undefined ? [{ name, object }, updated] : [updated];
    });
  });
}

/** Values that are valid hardly anywhere. `undefined` removes the field. */
const STRANGERS = [undefined, null, '', 'x', 'A b', 0, -1, 1.5, true, [], {}, ['x'], [null], { surprise: 1 }];

function mutationsOf(whole: JsonLike, schema: StructuralSchema): readonly ObjectCase[] {
  const places = ['spec', 'status'].flatMap((root) =>
    placesBelow(whole[root], root, schema.properties?.[root]),
  );
  return places.flatMap(({ path, value, schema: expected }) =>
    [...STRANGERS, ...variationsOf(value)]
      .filter((stranger) => !isOverlooked(expected, stranger))
      .map((stranger) => ({
        name: `${path} = ${shortText(stranger)}`,
        object: put(whole, path, stranger),
      })),
  );
}

/** Where the schema has a format, the server accepts a list for a string and a string for a list. We do not. */
function isOverlooked({ format, type }: StructuralSchema, stranger: unknown): boolean {
  if (format === undefined) return false;
  return type === 'array' ? typeof stranger === 'string' : Array.isArray(stranger);
}

function shortText(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
}

function variationsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return [[...value, value[0]], [...value, 5], value.slice(0, 1)];
  if (isObject(value))
    return [
      { ...value, surprise: 1 },
      { ...value, surprise: null },
    ];
  if (typeof value === 'string') return [`${value}x`, value.toUpperCase(), value.repeat(200), 5];
  return typeof value === 'number' ? [value + 1, value + 0.5, -value, String(value)] : [];
}

type Place = { readonly path: string; readonly value: unknown; readonly schema: StructuralSchema };

function placesBelow(value: unknown, path: string, schema: StructuralSchema = {}): readonly Place[] {
  if (value === undefined) return [];
  const children = isObject(value) || Array.isArray(value) ? Object.entries(value) : [];
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  return [
    { path, value, schema },
    ...children
      // apiVersion and kind of an embedded resource are validated during decoding, before anything else.
      .filter(([key]) => !(isEmbedded && ['apiVersion', 'kind', 'metadata'].includes(key)))
      .flatMap(([key, child]) => placesBelow(child, `${path}.${key}`, schemaBelow(schema, key))),
  ];
}

function schemaBelow(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties, additionalProperties, items } = schema;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return items ?? (isObject(additionalProperties) ? additionalProperties : undefined);
}

/** A copy with another value at a path such as `spec.list.0.field`; missing objects are created. */
export function put(object: JsonLike, path: string, value: unknown): JsonLike {
  // The root of an object is an object, and stays one.
  return putBelow(object, path.split('.'), value) as JsonLike;
}

function putBelow(parent: unknown, [key = '', ...below]: readonly string[], value: unknown): unknown {
  const held = Array.isArray(parent) || isObject(parent) ? parent : {};
  const before = Object.entries(held).find(([name]) => name === key)?.[1];
  const child = below.length === 0 ? value : putBelow(before, below, value);
  if (Array.isArray(held)) {
    const index = Number(key);
    return child === undefined ? held.filter((_, at) => at !== index) : held.with(index, child);
  }
  const others = Object.fromEntries(Object.entries(held).filter(([name]) => name !== key));
  return child === undefined ? others : { ...others, [key]: child };
}
