/**
 * Shapes whose definitions do not follow from our schemas: texts and numbers that have a name of their own, and
 * schemas, which hold schemas.
 */
import { jsonSchemaDefinitions } from './json-schema-definitions.ts';
import type { Definitions, OpenApiSchema } from './openapi-schema.ts';
import { definitionName } from './shape-names.ts';

const scalars: { readonly [shape: string]: OpenApiSchema } = {
  'meta.Time': { type: 'string', format: 'date-time', description: 'A time to the second, as in RFC 3339.' },
  'meta.MicroTime': {
    type: 'string',
    format: 'date-time',
    description: 'A time to the microsecond, as in RFC 3339.',
  },
  'resource.Quantity': {
    description: 'An amount with its unit, such as 500m, 2 or 1.5Gi.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
  'intstr.IntOrString': {
    description: 'A number, or a text such as 10%.',
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
};

/** By the short name of the shape, all the definitions that it brings. */
export const fixedShapes: ReadonlyMap<string, Definitions> = new Map([
  ...Object.entries(scalars).map(
    ([shape, schema]) => [shape, new Map([[definitionName(shape), schema]])] as const,
  ),
  ['apiextensions.JSONSchemaProps', jsonSchemaDefinitions] as const,
]);
