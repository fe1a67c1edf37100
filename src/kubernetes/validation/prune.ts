/**
 * Dropping what the schema does not know, as the server does before it stores an object.
 */
import { compareBytes, isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { sizeOf, sizeOfSchema } from './limits.ts';

type Pruned = {
  /** The same reference where nothing was dropped. */
  readonly value: unknown;
  /** The paths of what was dropped, sorted: `spec.foo`, `spec.list[2].bar`. */
  readonly unknownFields: readonly string[];
};

/** The parts of every object that no schema has to name, at the root and in embedded resources. */
const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of what nothing is known about. */
const UNKNOWN: StructuralSchema = {};

/** A whole object keeps what every object has; a part of one only where its schema says that it is a resource. */
type PruneOptions = { readonly isPart?: boolean };

export function prune(
  schema: StructuralSchema,
  value: unknown,
  { isPart = false }: PruneOptions = {},
): Pruned {
  if (sizeOf(value) !== 'fits' || sizeOfSchema(schema) !== 'fits') return { value, unknownFields: [] };
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
  // `additionalProperties: true` keeps the keys, but says nothing about what is below them.
  if (additionalProperties !== undefined)
    return isObject(additionalProperties) ? additionalProperties : UNKNOWN;
  return schema['x-kubernetes-preserve-unknown-fields'] ? 'kept' : 'dropped';
}

/** What is preserved stays so through lists, whatever their items say themselves. */
function itemsOf(schema: StructuralSchema): StructuralSchema {
  const items = schema.items ?? UNKNOWN;
  return schema['x-kubernetes-preserve-unknown-fields']
    ? { ...items, 'x-kubernetes-preserve-unknown-fields': true }
    : items;
}
