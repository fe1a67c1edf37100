/**
 * Pruning: drops the fields that the schema does not specify, as the server does before it stores an object.
 */
import { compareBytes, isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { isTraversable } from './limits.ts';

type Pruned = {
  /** The same reference if nothing was dropped. */
  readonly value: unknown;
  /** The sorted paths of the dropped fields: `spec.foo`, `spec.list[2].bar`. */
  readonly unknownFields: readonly string[];
};

/** The fields of every object that no schema has to specify, at the root and in embedded resources. */
const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of an unspecified value. */
const UNKNOWN: StructuralSchema = {};

/**
 * A whole object keeps the fields of every object; a part of one only if its schema is an embedded resource.
 */
type PruneOptions = { readonly isPart?: boolean };

export function prune(
  schema: StructuralSchema,
  value: unknown,
  { isPart = false }: PruneOptions = {},
): Pruned {
  if (!isTraversable(value, schema)) return { value, unknownFields: [] };
  const unknownFields: string[] = [];
  const root = isPart ? schema : { ...schema, 'x-kubernetes-embedded-resource': true };
  const pruned = pruneValue(root, value, '', unknownFields);
  return { value: pruned, unknownFields: unknownFields.sort(compareBytes) };
}

function pruneValue(schema: StructuralSchema, value: unknown, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    const kept = value.map((item, index) => pruneValue(items, item, `${path}[${index}]`, unknown));
    return kept.some((item, index) => !Object.is(item, value[index])) ? kept : value;
  }
  return isObject(value) ? pruneObject(schema, value, path, unknown) : value;
}

function pruneObject(
  schema: StructuralSchema,
  value: { readonly [key: string]: unknown },
  path: string,
  unknown: string[],
): unknown {
  const entries: [string, unknown][] = [];
  let changed = false;
  for (const key of Object.keys(value)) {
    const child = path === '' ? key : `${path}.${key}`;
    const field = schemaOfField(schema, key);
    if (field === 'dropped') {
      unknown.push(child);
      changed = true;
      continue;
    }
    const kept = field === 'kept' ? value[key] : pruneValue(field, value[key], child, unknown);
    if (!Object.is(kept, value[key])) changed = true;
    entries.push([key, kept]);
  }
  return changed ? Object.fromEntries(entries) : value;
}

function schemaOfField(schema: StructuralSchema, key: string): StructuralSchema | 'kept' | 'dropped' {
  const { properties, additionalProperties } = schema;
  if (schema['x-kubernetes-embedded-resource'] && META_FIELDS.has(key)) return 'kept';
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key] ?? 'kept';
  // `additionalProperties: true` keeps the keys, but does not specify the fields below them.
  if (additionalProperties !== undefined)
    return isObject(additionalProperties) ? additionalProperties : UNKNOWN;
  return schema['x-kubernetes-preserve-unknown-fields'] ? 'kept' : 'dropped';
}

/** What is preserved stays so through lists, whatever the schema of their items is. */
function itemsOf(schema: StructuralSchema): StructuralSchema {
  const items = schema.items ?? UNKNOWN;
  return schema['x-kubernetes-preserve-unknown-fields']
    ? { ...items, 'x-kubernetes-preserve-unknown-fields': true }
    : items;
}
