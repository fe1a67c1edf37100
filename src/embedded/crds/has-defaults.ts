/**
 * Whether a schema has defaults.
 */
import { isObject } from '../../base/json.ts';
import { additionalSchemaOf, itemsOf, type SchemaProps } from './crd.ts';

export function hasDefaults(schema: SchemaProps): boolean {
  return schema.default !== undefined || partsOf(schema).some(hasDefaults);
}

/** All direct subschemas. */
function partsOf(schema: SchemaProps): readonly SchemaProps[] {
  const { allOf = [], anyOf = [], oneOf = [], not, items } = schema;
  const { properties = {}, patternProperties = {}, definitions = {}, additionalItems } = schema;
  const several = Array.isArray(items) ? (items as readonly SchemaProps[]) : [];
  const further = isObject(additionalItems) ? [additionalItems as SchemaProps] : [];
  return [
    ...[itemsOf(schema), not, additionalSchemaOf(schema)].flatMap((part) => part ?? []),
    ...several,
    ...further,
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...[properties, patternProperties, definitions].flatMap((map) => Object.values(map)),
  ];
}
