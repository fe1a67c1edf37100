/**
 * The differences between a schema of ours and a published one, field by field.
 */
import { canonicalJson } from '../../src/base/json.ts';
import type { StructuralSchema } from '../../src/kubernetes/schema/index.ts';
import type { Published, PublishedKind, PublishedSchema } from './published.ts';

/**
 * One line for each difference: `io.k8s.api.core.v1.Taint.effect: required there`. Ignored are
 *
 * - zero values as defaults of strings, numbers and booleans, of items and of entries: they mean that Go writes them,
 *   not that the server accepts them;
 * - null in place of a time, which the documents do not mention and the server writes;
 * - the two forms of int-or-string.
 */
export function differences(
  ours: StructuralSchema,
  kind: PublishedKind,
  enumOf: Published['enumOf'],
): readonly string[] {
  const found = new Set<string>();
  const compare = ({ schema, published, at, values }: Pair): void => {
    const { definition, theirs } = resolved(published, kind);
    const here = definition ?? at;
    const report = (what: string) => found.add(`${at}: ${what}`);
    if (isOpen(schema) && theirs.properties !== undefined) {
      report('left open here');
      return;
    }
    compareKeywords(schema, theirs, report);
    const goType = schema.type === 'object' ? schema['x-go-type'] : undefined;
    if (goType !== undefined && definition !== undefined && nameOf(goType) !== nameOf(definition)) {
      report(`Go type ${goType} here, ${definition} there`);
    }
    if (schema.description === undefined || schema.description === '') report('not described');
    if (schema.description === theirs.description) report('has the published description');
    if (canonicalJson(schema.enum) !== canonicalJson(schema.type === 'string' ? values : undefined)) {
      report(`enum ${canonicalJson(schema.enum)} here, ${canonicalJson(values)} there`);
    }
    for (const name of namesOf(schema, theirs)) {
      const field = schema.properties?.[name];
      const other = theirs.properties?.[name];
      const place = `${here}.${name}`;
      if (field === undefined || other === undefined) {
        found.add(`${place}: ${field === undefined ? 'missing here' : 'unknown there'}`);
        continue;
      }
      comparePresence(schema, theirs, name, (what) => found.add(`${place}: ${what}`));
      compareDefault(field, other, (what) => found.add(`${place}: ${what}`));
      compare({ schema: field, published: other, at: place, values: enumOf(here, name) });
    }
    const { items, additionalProperties } = schema;
    if (items !== undefined && theirs.items !== undefined) {
      compare({ schema: items, published: theirs.items, at: `${at}[]`, values });
    }
    if (typeof additionalProperties === 'object' && theirs.additionalProperties !== undefined) {
      compare({
        schema: additionalProperties,
        published: theirs.additionalProperties,
        at: `${at}{}`,
        values,
      });
    }
  };
  compare({ schema: ours, published: { $ref: kind.name }, at: kind.name, values: undefined });
  return [...found].sort();
}

type Pair = {
  readonly schema: StructuralSchema;
  readonly published: PublishedSchema;
  readonly at: string;
  /** The values of the enum, if it is one. */
  readonly values: readonly string[] | undefined;
};

function nameOf(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** The target of a reference, with the keywords next to it. */
function resolved(published: PublishedSchema, { definitions }: PublishedKind) {
  const { allOf, $ref, ...beside } = published;
  const reference = $ref ?? allOf?.[0]?.$ref;
  if (reference === undefined) return { definition: undefined, theirs: beside };
  const definition = reference.split('/').at(-1) ?? '';
  const target = definitions[definition];
  if (target === undefined) throw new Error(`${definition} is not defined`);
  // A list type next to a reference belongs to the field, not to the target.
  return { definition, theirs: { ...target, ...beside } };
}

function isOpen(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined;
}

/** Keywords that are compared elsewhere, or that a server does not need. */
const OTHER_KEYWORDS: ReadonlySet<string> = new Set([
  'description',
  'default',
  'required',
  'properties',
  'items',
  'additionalProperties',
  'enum',
  'x-kubernetes-group-version-kind',
  'x-kubernetes-unions',
  'x-go-type',
  'x-go-pointer',
]);

function compareKeywords(
  ours: StructuralSchema,
  theirs: PublishedSchema,
  report: (what: string) => void,
): void {
  const mine = keywordsOf(normalised(ours));
  const other = keywordsOf(normalised(theirs));
  for (const keyword of new Set([...Object.keys(mine), ...Object.keys(other)])) {
    if (keyword === 'nullable' && ours.format === 'date-time') continue;
    const [here, there] = [canonicalJson(mine[keyword]), canonicalJson(other[keyword])];
    if (here !== there) report(`${keyword} ${here} here, ${there} there`);
  }
  for (const shape of ['items', 'additionalProperties'] as const) {
    if ((ours[shape] === undefined) !== (theirs[shape] === undefined)) report(`${shape} on one side only`);
  }
}

function keywordsOf(schema: object): { readonly [keyword: string]: unknown } {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OTHER_KEYWORDS.has(keyword)));
}

/** Our form of what has its own format in OpenAPI and none in a structural schema. */
const INT_OR_STRING = { type: 'int-or-string' };

/** Both sides in the same form. */
function normalised(schema: StructuralSchema | PublishedSchema): object {
  if (schema.format === 'int-or-string') return { ...schema, format: undefined, ...INT_OR_STRING };
  if ('x-kubernetes-int-or-string' in schema) {
    const { 'x-kubernetes-int-or-string': _, anyOf: oneOf, ...rest } = schema;
    return { ...rest, oneOf, ...INT_OR_STRING };
  }
  const isFree = schema.type === 'object' && !schema.properties && !schema.additionalProperties;
  if (!isFree) return schema;
  // An object without fields is open in OpenAPI; ours must be marked open, unless it has no fields.
  const { 'x-kubernetes-preserve-unknown-fields': _, ...rest } = schema as StructuralSchema;
  return rest;
}

function namesOf(ours: StructuralSchema, theirs: PublishedSchema): ReadonlySet<string> {
  return new Set([...Object.keys(ours.properties ?? {}), ...Object.keys(theirs.properties ?? {})]);
}

function comparePresence(
  ours: StructuralSchema,
  theirs: PublishedSchema,
  name: string,
  report: (what: string) => void,
): void {
  const here = ours.required?.includes(name) ?? false;
  const there = theirs.required?.includes(name) ?? false;
  if (here !== there) report(`required ${here ? 'here' : 'there'} only`);
}

function compareDefault(
  ours: StructuralSchema,
  theirs: PublishedSchema,
  report: (what: string) => void,
): void {
  if (ours.default === undefined && ['', 0, false].some((zero) => zero === theirs.default)) return;
  const [here, there] = [canonicalJson(ours.default), canonicalJson(theirs.default)];
  if (here !== there) report(`default ${here} here, ${there} there`);
}
