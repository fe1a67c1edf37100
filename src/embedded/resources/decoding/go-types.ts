/**
 * The Go type of a value, as Go's decoding errors name it (`Go struct field Container.spec.containers.image of type
 * string`). The schemas of the built-in kinds name structs and other defined types; the rest follows from the schema.
 */
import type { StructuralSchema } from '../../../kubernetes/schema/index.ts';

/** `string`, `[]v1.Container`, `map[string]string`. A pointer is named by what it points to. */
export function goTypeOf(schema: StructuralSchema): string {
  const known = types.get(schema);
  if (known !== undefined) return known;
  const type = typeOf(schema);
  types.set(schema, type);
  return type;
}

/** The type of every field is needed whenever an object is decoded. */
const types = new WeakMap<StructuralSchema, string>();

/** The name of a struct without its package: `Container`. */
export function structNameOf(schema: StructuralSchema): string {
  const type = goTypeOf(schema);
  return type.slice(type.lastIndexOf('.') + 1);
}

function typeOf(schema: StructuralSchema): string {
  const { items, additionalProperties, 'x-go-type': name } = schema;
  if (name !== undefined) return withPackageVersion(name);
  if (items !== undefined) return `[]${goTypeOf(items)}`;
  if (typeof additionalProperties === 'object') return `map[string]${goTypeOf(additionalProperties)}`;
  return scalarType(schema);
}

/** Go names a package by its last element, which is the version of the group: `core.Pod` → `v1.Pod`. */
function withPackageVersion(name: string): string {
  return name.startsWith('types.') ? name : name.replace(/^\w+\./, 'v1.');
}

function scalarType(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString';
  switch (schema.type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return schema.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'string':
      if (schema.format === 'byte') return '[]uint8';
      return schema.format === 'date-time' ? 'v1.Time' : 'string';
    default:
      return 'resource.Quantity';
  }
}
