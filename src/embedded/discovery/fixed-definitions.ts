/**
 * Definitions that do not follow from schemas: scalars with a definition of their own, and JSON schemas, which contain
 * one another.
 */
import { definitionName } from './definition-name.ts';
import { jsonSchemaDefinitions } from './json-schema-definitions.ts';
import type { Definitions, OpenApiSchema } from './openapi-schema.ts';

const scalars: { readonly [goType: string]: OpenApiSchema } = {
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
    description: 'An integer, or a string such as 10%.',
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
};

/** By Go type, the definition and those that it refers to. */
export const fixedDefinitions: ReadonlyMap<string, Definitions> = new Map([
  ...Object.entries(scalars).map(
    ([goType, schema]) => [goType, new Map([[definitionName(goType), schema]])] as const,
  ),
  ['apiextensions.JSONSchemaProps', jsonSchemaDefinitions] as const,
]);
