/**
 * The definitions of an OpenAPI document: schemas under names, which refer to one another.
 *
 * The schema of a built-in kind contains all of its parts. Here every part that has a Go type becomes a definition of its own,
 * and the others stay where they are. Descriptions stay with the field, because ours are written for the field.
 */
import { assert } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { definitionName } from './definition-name.ts';
import { fixedDefinitions } from './fixed-definitions.ts';
import { type Definitions, type OpenApiSchema, referenceTo } from './openapi-schema.ts';

/** The definition of a schema that has a Go type, and of every Go type in it. */
export function definitionsOf(schema: StructuralSchema): Definitions {
  const definitions = new Map<string, OpenApiSchema>();
  const goType = schema['x-go-type'];
  assert(goType !== undefined, 'a definition has a Go type');
  define(definitions, goType, schema);
  return definitions;
}

type Collected = Map<string, OpenApiSchema>;

function define(definitions: Collected, goType: string, schema: StructuralSchema): void {
  const name = definitionName(goType);
  if (definitions.has(name)) return;
  const fixed = fixedDefinitions.get(goType);
  if (fixed !== undefined) {
    for (const [fixedName, fixedSchema] of fixed) definitions.set(fixedName, fixedSchema);
    return;
  }
  const own = Object.entries(published(schema)).filter(([key]) => !isOfField(key));
  definitions.set(name, { ...Object.fromEntries(own), ...propertiesOf(definitions, schema) });
}

/** Properties in the order of their names, as kube-apiserver writes them. */
function propertiesOf(
  definitions: Collected,
  { properties, required = [] }: StructuralSchema,
): OpenApiSchema {
  if (properties === undefined) return {};
  const fields = Object.keys(properties)
    .sort()
    .map((field) => {
      const schema = properties[field] ?? {};
      // A required object is a pointer in Go, whose zero value is nil.
      const zero = required.includes(field) && schema.type !== 'object' ? zeroOf(schema) : {};
      return [field, { ...zero, ...fieldSchema(definitions, schema) }];
    });
  return { properties: Object.fromEntries(fields) };
}

/** The schema of a field: a reference where the value has a definition. */
function fieldSchema(definitions: Collected, schema: StructuralSchema): OpenApiSchema {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return { ...published(schema), items: itemSchema(definitions, items) };
  if (isObject(additionalProperties)) {
    return { ...published(schema), additionalProperties: itemSchema(definitions, additionalProperties) };
  }
  const goType = definedType(schema);
  if (goType === undefined) return { ...published(schema), ...propertiesOf(definitions, schema) };
  define(definitions, goType, schema);
  const ofField = Object.entries(published(schema)).filter(([key]) => isOfField(key));
  const reference = referenceTo(definitionName(goType));
  return ofField.length === 0 ? reference : { ...Object.fromEntries(ofField), allOf: [reference] };
}

function itemSchema(definitions: Collected, schema: StructuralSchema): OpenApiSchema {
  return { ...zeroOf(schema), ...fieldSchema(definitions, schema) };
}

/** The Go type where it has a definition: structs and a few scalars do. */
function definedType(schema: StructuralSchema): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString';
  if (schema.format === 'date-time') return schema['x-go-type'] ?? 'meta.Time';
  if (schema.type === undefined && schema.oneOf !== undefined) return 'resource.Quantity';
  return schema.type === 'object' ? schema['x-go-type'] : undefined;
}

/** Whether a keyword belongs to the field rather than to the definition that the field refers to. */
function isOfField(key: string): boolean {
  return key === 'description' || key === 'default' || key.startsWith('x-kubernetes-patch-');
}

/** The zero value of the Go type as a default; slices of bytes and times have none. */
function zeroOf({ type, format }: StructuralSchema): OpenApiSchema {
  switch (type) {
    case 'string':
      return format === undefined ? { default: '' } : {};
    case 'integer':
    case 'number':
      return { default: 0 };
    case 'boolean':
      return { default: false };
    case 'object':
      return { default: {} };
    default:
      return {};
  }
}

/** The keywords that documents of built-in kinds contain, without those that hold other schemas. */
function published(schema: StructuralSchema): OpenApiSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !UNPUBLISHED.has(key)));
}

const UNPUBLISHED: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'additionalProperties',
  'title',
  'nullable',
  'x-go-pointer',
  'x-go-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
]);
