/**
 * Patch strategies and merge keys in the schema of a built-in kind. Messages of failed lookups are those of
 * kube-apiserver, which reflects on Go structs.
 */

import { quoted } from '../../base/text/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { type StatusError, unknownError } from '../status/index.ts';
import { type Patched, patched } from './patched.ts';

export type PatchMeta = {
  /** The schema of the field or, for a list, of its items. */
  readonly schema: StructuralSchema;
  /** `merge`, `replace` or empty. */
  readonly strategy: string;
  readonly mergeKey: string;
};

export function metaOfObject(schema: StructuralSchema, field: string): Patched<PatchMeta> {
  const found = fieldSchema(schema, field);
  return found.kind === 'error' ? found : withStrategy(found.value, found.value);
}

export function metaOfList(schema: StructuralSchema, field: string): Patched<PatchMeta> {
  const found = fieldSchema(schema, field);
  if (found.kind === 'error') return found;
  if (found.value.type !== 'array') {
    return unknownError(`expected slice or array type, but got: ${goKind(schema)}`);
  }
  const items: StructuralSchema = found.value.items ?? {};
  return items.type === 'array'
    ? unknownError('unexpected slice of slice')
    : withStrategy(found.value, items);
}

/** The `reflect.Kind` of the Go type. */
export function goKind({ type, properties }: StructuralSchema): string {
  switch (type) {
    case 'array':
      return 'slice';
    case 'integer':
      return 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return properties === undefined ? 'map' : 'struct';
  }
}

function fieldSchema(schema: StructuralSchema, field: string): Patched<StructuralSchema> {
  const { properties } = schema;
  if (properties === undefined) {
    return unknownError(
      `merging an object in json but data type is not struct, instead is: ${goKind(schema)}`,
    );
  }
  const found = Object.hasOwn(properties, field) ? properties[field] : inOtherCase(properties, field);
  return found === undefined ? noField(schema, field) : patched(found);
}

/** Go matches field names case-insensitively. */
function inOtherCase(
  properties: { readonly [name: string]: StructuralSchema },
  field: string,
): StructuralSchema | undefined {
  const lower = field.toLowerCase();
  const name = Object.keys(properties).find((one) => one.toLowerCase() === lower);
  return name === undefined ? undefined : properties[name];
}

function noField({ 'x-go-type': goType = '' }: StructuralSchema, field: string): StatusError {
  const struct = goType.slice(goType.lastIndexOf('.') + 1);
  return unknownError(`unable to find api field in struct ${struct} for the json field ${quoted(field)}`);
}

/** `retainKeys` concerns the creation of patches, not their application. */
function withStrategy(field: StructuralSchema, schema: StructuralSchema): Patched<PatchMeta> {
  const strategies = (field['x-kubernetes-patch-strategy'] ?? '').split(',');
  const others = strategies.filter((one) => one !== 'retainKeys');
  if (others.length > 1) return unknownError(`unexpected patch strategy: [${strategies.join(' ')}]`);
  const mergeKey = field['x-kubernetes-patch-merge-key'] ?? '';
  return patched({ schema, strategy: others[0] ?? '', mergeKey });
}
