/**
 * Random histories of an object: several managers apply, update, patch and force, and sometimes omit fields.
 */
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import type { Step } from './apply-story.ts';

const some = fc.constantFrom;

/** The values to choose from. */
export type Taste = {
  readonly nulls: boolean;
  readonly twins: boolean;
  readonly fields?: ReadonlySet<string>;
};

/** For a part of the schema: only a few fields per object, so that the steps overlap. */
export function aStory(schema: StructuralSchema, taste: Taste): fc.Arbitrary<readonly Step[]> {
  return fc.nat(1000).chain((chance) => storyOf(narrowed(schema, chance, taste), taste));
}

function storyOf(schema: StructuralSchema, taste: Taste): fc.Arbitrary<readonly Step[]> {
  const step = fc.record({
    verb: some('apply', 'apply', 'apply', 'merge', 'merge', 'replace') as fc.Arbitrary<Step['verb']>,
    manager: some('x', 'y', 'kubectl'),
    force: fc.boolean(),
    subresource: some('', '', '', '', 'status'),
    body: objectOf(schema, taste) as fc.Arbitrary<JsonObject>,
  });
  return fc.array(step, { minLength: 2, maxLength: 7 });
}

const MAX_FIELDS = 3;

function narrowed(
  schema: StructuralSchema,
  chance: number,
  taste: Taste,
  keys: readonly string[] = [],
): StructuralSchema {
  const { properties, additionalProperties, items } = schema;
  const known = Object.keys(properties ?? {}).filter((name) => taste.fields?.has(name) ?? true);
  // Any combination of the seed and the name will do.
  const mixed = (name: string) =>
    ([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), chance + 7) * 2654435761) % 4096;
  const chosen = known.sort((a, b) => mixed(a) - mixed(b)).slice(0, MAX_FIELDS);
  const fields = [...new Set([...keys, ...chosen])].map((name): [string, StructuralSchema] => [
    name,
    narrowed(properties?.[name] ?? {}, chance, taste),
  ]);
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(fields) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: narrowed(additionalProperties, chance, taste),
    }),
    ...(items !== undefined && {
      items: narrowed(items, chance, taste, schema['x-kubernetes-list-map-keys'] ?? []),
    }),
  };
}

function anyValue(schema: StructuralSchema, taste: Taste): fc.Arbitrary<Json> {
  const plain = plainValue(schema, taste);
  if (!taste.nulls) return plain;
  return fc.oneof({ weight: 14, arbitrary: plain }, { weight: 1, arbitrary: fc.constant(null) });
}

/** Without a type any value is allowed. */
const anything: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    some<Json>('a', 'b', 1, true),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(some('a', 'b', '__proto__'), tie('value'), { maxKeys: 2 }),
  ),
})).value;

function plainValue(schema: StructuralSchema, taste: Taste): fc.Arbitrary<Json> {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, taste);
    case 'array':
      return listOf(schema, taste);
    case 'integer':
    case 'number':
      return some(1, 2, 80);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return schema.format === undefined
        ? some('a', 'b', 'c')
        : some('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z');
    default:
      return schema['x-kubernetes-int-or-string'] === true ? some<Json>(1, 'a') : anything;
  }
}

function objectOf(schema: StructuralSchema, taste: Taste): fc.Arbitrary<Json> {
  const { properties = {}, additionalProperties } = schema;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const names = Object.keys(properties).filter((name) => taste.fields?.has(name) ?? true);
  const named = fc
    .subarray(names)
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((name) => [name, anyValue(properties[name] ?? {}, taste)]))),
    );
  if (others === undefined && !isOpen) return named as fc.Arbitrary<Json>;
  const more = fc.dictionary(some('a', 'b', 'c'), others === undefined ? anything : anyValue(others, taste), {
    maxKeys: 2,
  });
  return fc.tuple(named, more).map(([one, two]): Json => ({ ...one, ...two }));
}

function listOf(schema: StructuralSchema, taste: Taste): fc.Arbitrary<Json> {
  const { items = {} } = schema;
  const isMerged = ['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? '');
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (!isMerged) return fc.array(anyValue(items, taste), { maxLength: 2 });
  const properties = items.properties ?? {};
  const isRequired = (key: string) => properties[key]?.default === undefined;
  const key = fc.record(
    Object.fromEntries(keys.map((name) => [name, plainValue(properties[name] ?? {}, taste)])),
    {
      requiredKeys: keys.filter(isRequired),
    },
  );
  const keyless = {
    ...items,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !keys.includes(name))),
  };
  const item =
    keys.length === 0
      ? plainValue(items, taste)
      : fc
          .tuple(objectOf(keyless, taste), key)
          .map(([value, one]): Json => ({ ...(value as JsonObject), ...(one as JsonObject) }));
  const identity = (one: Json) =>
    keys.length === 0 || typeof one !== 'object' || one === null
      ? JSON.stringify(one)
      : JSON.stringify(keys.map((name) => (one as JsonObject)[name] ?? properties[name]?.default));
  const distinct = fc.uniqueArray(item, { maxLength: 3, selector: identity });
  if (!taste.twins) return distinct;
  return fc.oneof(
    { weight: 12, arbitrary: distinct },
    { weight: 1, arbitrary: fc.array(item, { maxLength: 3 }) },
  );
}
