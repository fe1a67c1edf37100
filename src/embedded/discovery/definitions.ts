/**
 * The definitions of a document: schemas under names, which refer to one another.
 *
 * A built-in kind is one schema with everything inside. Here it becomes a definition for each shape in it that
 * Kubernetes has a name for, and what has none stays where it is. Descriptions stand where a shape is used, not on
 * the shape: ours are written for the place.
 */
import { isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { fixedShapes } from './fixed-shapes.ts';
import { type Definitions, type OpenApiSchema, referenceTo } from './openapi-schema.ts';
import { definitionName, shapeOfField } from './shape-names.ts';

/** The definition of a shape and of every shape in it. */
export function definitionsOf(shape: string, schema: StructuralSchema): Definitions {
  const definitions = new Map<string, OpenApiSchema>();
  define({ definitions, shape, schema });
  return definitions;
}

type Work = {
  readonly definitions: Map<string, OpenApiSchema>;
  readonly shape: string;
  readonly schema: StructuralSchema;
};

function define({ definitions, shape, schema }: Work): void {
  const name = definitionName(shape);
  if (definitions.has(name)) return;
  const fixed = fixedShapes.get(shape);
  if (fixed !== undefined) {
    for (const [fixedName, fixedSchema] of fixed) definitions.set(fixedName, fixedSchema);
    return;
  }
  const { description: _said, default: _given, ...rest } = whatCounts(schema);
  const forShape = Object.entries(rest).filter(([key]) => !isOfUse(key));
  definitions.set(name, {
    ...Object.fromEntries(forShape),
    ...fieldsOf(definitions, shape, schema),
  });
}

/** Properties in the order of their names, as the server writes them. */
function fieldsOf(
  definitions: Work['definitions'],
  shape: string | undefined,
  { properties, required = [] }: StructuralSchema,
): OpenApiSchema {
  if (properties === undefined) return {};
  const fields = Object.keys(properties)
    .sort()
    .map((field) => {
      const schema = properties[field] ?? {};
      const inside = shape === undefined ? undefined : shapeOfField({ owner: shape, field });
      // An object that somebody has to give is a pointer on the server, and nothing is what it holds until then.
      const zero = required.includes(field) && schema.type !== 'object' ? zeroOf(schema) : {};
      return [field, { ...zero, ...use(definitions, inside, schema) }];
    });
  return { properties: Object.fromEntries(fields) };
}

/** A schema at the place where it is used. The shape is that of the innermost items. */
function use(
  definitions: Work['definitions'],
  shape: string | undefined,
  schema: StructuralSchema,
): OpenApiSchema {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return { ...whatCounts(schema), items: useAsItem(definitions, shape, items) };
  if (isObject(additionalProperties)) {
    const values = useAsItem(definitions, shape, additionalProperties);
    return { ...whatCounts(schema), additionalProperties: values };
  }
  const named = namedShape(shape, schema);
  if (named === undefined) return { ...whatCounts(schema), ...fieldsOf(definitions, undefined, schema) };
  define({ definitions, shape: named, schema });
  const forUse = Object.entries(whatCounts(schema)).filter(([key]) => isOfUse(key));
  const reference = referenceTo(definitionName(named));
  return forUse.length === 0 ? reference : { ...Object.fromEntries(forUse), allOf: [reference] };
}

function useAsItem(
  definitions: Work['definitions'],
  shape: string | undefined,
  schema: StructuralSchema,
): OpenApiSchema {
  return { ...zeroOf(schema), ...use(definitions, shape, schema) };
}

function namedShape(shape: string | undefined, schema: StructuralSchema): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString';
  if (schema.format === 'date-time') return shape ?? 'meta.Time';
  if (schema.type === undefined && schema.oneOf !== undefined) return 'resource.Quantity';
  return schema.type === 'object' ? shape : undefined;
}

/** What is said where a shape is used, rather than of the shape. */
function isOfUse(key: string): boolean {
  return key === 'description' || key === 'default' || key.startsWith('x-kubernetes-patch-');
}

/** What a variable holds that nobody has set; of bytes and times that is nothing at all. */
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

/** Without what holds other schemas, and without what the documents of built-in kinds leave unsaid. */
function whatCounts(schema: StructuralSchema): OpenApiSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !UNSAID.has(key)));
}

const UNSAID: ReadonlySet<string> = new Set([
  ...['properties', 'items', 'additionalProperties'],
  ...['title', 'nullable', 'x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields'],
  ...['x-go-type', 'x-go-pointer'],
]);
