/**
 * Filling in what the schema gives by default, as the server does when it reads an object.
 */
import { isObject } from '../json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { fieldSchema } from './correlated.ts';
import { sizeOf } from './limits.ts';

/**
 * The value with defaults filled in; the same reference where nothing had to be.
 *
 * A default fills a field of an object that is there; it never creates the object around it. A `null` that
 * the schema does not allow gives way to the default, or disappears where there is none; only in lists, where
 * it would move its neighbours, it stays (and validation will refuse it).
 */
export function applyDefaults(schema: StructuralSchema, value: unknown): unknown {
  return sizeOf(value) === 'fits' ? withDefaults(schema, value) : value;
}

function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) return listWithDefaults(schema, value);
  return isObject(value) ? objectWithDefaults(schema, value) : value;
}

function listWithDefaults(schema: StructuralSchema, value: readonly unknown[]): unknown {
  const { items } = schema;
  if (items === undefined) return value;
  const filled = value.map((item) =>
    withDefaults(
      items,
      item === null && !items.nullable && items.default !== undefined ? items.default : item,
    ),
  );
  return filled.some((item, index) => item !== value[index]) ? filled : value;
}

function objectWithDefaults(schema: StructuralSchema, value: { readonly [key: string]: unknown }): unknown {
  // Entries, not assignments: a key named `__proto__` must stay a key.
  const entries: [string, unknown][] = [];
  let changed = false;
  for (const key of Object.keys(value)) {
    const field = fieldSchema(schema, key);
    const item = field === undefined ? value[key] : fieldWithDefaults(field, value[key]);
    if (item !== value[key]) changed = true;
    if (item !== undefined) entries.push([key, item]);
  }
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    if (field.default === undefined || field.default === null || Object.hasOwn(value, key)) continue;
    entries.push([key, withDefaults(field, structuredClone(field.default))]);
    changed = true;
  }
  return changed ? Object.fromEntries(entries) : value;
}

/** `undefined` where a null has to go. */
function fieldWithDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (value !== null || schema.nullable) return withDefaults(schema, value);
  return schema.default === undefined || schema.default === null
    ? undefined
    : withDefaults(schema, structuredClone(schema.default));
}
