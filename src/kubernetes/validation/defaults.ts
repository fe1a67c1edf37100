/**
 * Defaulting: fills in the defaults of the schema, as the server does when it decodes an object.
 */
import { isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { fieldSchema } from './correlated.ts';
import { isTraversable } from './limits.ts';

/**
 * The value with its defaults; the same reference if there was nothing to fill in.
 *
 * A default fills a field of an existing object; it never creates the object around it. A `null` that the schema
 * does not allow is replaced by the default, or dropped if there is none; in lists it stays, because dropping it
 * would move its neighbours (and validation refuses it). With `keepsNulls`, nulls are replaced only where there is
 * a default: the server treats the result of server-side apply that way.
 */
export function applyDefaults(
  schema: StructuralSchema,
  value: unknown,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): unknown {
  return isTraversable(value, schema) ? withDefaults(schema, value, keepsNulls ? 'merged' : 'given') : value;
}

/** The origin of a value: nulls are dropped only from the given value. */
type Origin = 'given' | 'merged' | 'default';

function withDefaults(schema: StructuralSchema, value: unknown, origin: Origin): unknown {
  if (Array.isArray(value)) return listWithDefaults(schema, value, origin);
  return isObject(value) ? objectWithDefaults(schema, value, origin) : value;
}

function listWithDefaults(schema: StructuralSchema, value: readonly unknown[], origin: Origin): unknown {
  const { items } = schema;
  if (items === undefined) return value;
  const filled = value.map((item) =>
    item === null && !items.nullable && hasDefault(items)
      ? defaultOf(items)
      : withDefaults(items, item, origin),
  );
  return filled.some((item, index) => item !== value[index]) ? filled : value;
}

function objectWithDefaults(
  schema: StructuralSchema,
  value: { readonly [key: string]: unknown },
  origin: Origin,
): unknown {
  // Only the changes: most parts of most objects have none.
  const changes = new Map<string, unknown>();
  for (const key of Object.keys(value)) {
    const item = value[key];
    // Scalars have no fields, so only a null is replaced.
    if (typeof item === 'string' || typeof item === 'number') continue;
    const field = fieldSchema(schema, key);
    const filled = field === undefined ? item : fieldWithDefaults(field, item, origin);
    if (filled !== item) changes.set(key, filled);
  }
  for (const [key, field] of defaultedFields(schema)) {
    if (!Object.hasOwn(value, key)) changes.set(key, defaultOf(field));
  }
  if (changes.size === 0) return value;
  // Entries, not assignments: a key named `__proto__` must stay a key.
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const item = changes.has(key) ? changes.get(key) : value[key];
    changes.delete(key);
    if (item !== undefined) entries.push([key, item]);
  }
  return Object.fromEntries([...entries, ...changes]);
}

/** Few fields have a default, and they are needed for every object of a schema. */
function defaultedFields(schema: StructuralSchema): readonly [string, StructuralSchema][] {
  const { properties } = schema;
  if (properties === undefined) return [];
  const known = defaulted.get(properties);
  if (known !== undefined) return known;
  const fields = Object.entries(properties).filter(([, field]) => hasDefault(field));
  defaulted.set(properties, fields);
  return fields;
}

const defaulted = new WeakMap<object, readonly [string, StructuralSchema][]>();

/** `undefined` where a null is dropped. */
function fieldWithDefaults(schema: StructuralSchema, value: unknown, origin: Origin): unknown {
  if (value !== null || schema.nullable) return withDefaults(schema, value, origin);
  if (hasDefault(schema)) return defaultOf(schema);
  return origin === 'given' ? undefined : null;
}

function hasDefault(schema: StructuralSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** A copy, because the caller owns the object. Defaults may lack fields that have defaults themselves. */
function defaultOf(schema: StructuralSchema): unknown {
  return withDefaults(schema, structuredClone(schema.default), 'default');
}
