/**
 * Filling in what the schema gives by default, as the server does when it reads an object.
 */
import { isObject } from '../json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { fieldSchema } from './correlated.ts';
import { sizeOf, sizeOfSchema } from './limits.ts';

/**
 * The value with defaults filled in; the same reference where nothing had to be.
 *
 * A default fills a field of an object that is there; it never creates the object around it. A `null` that
 * the schema does not allow gives way to the default, or disappears where there is none; only in lists, where
 * it would move its neighbours, it stays (and validation will refuse it). `keepsNulls` leaves them everywhere but where
 * there is a default: so the server treats what server-side apply has merged.
 */
export function applyDefaults(
  schema: StructuralSchema,
  value: unknown,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): unknown {
  const canBeWalked = sizeOf(value) === 'fits' && sizeOfSchema(schema) === 'fits';
  return canBeWalked ? withDefaults(schema, value, keepsNulls ? 'merged' : 'given') : value;
}

/** Where a value came from: only from what was given nulls are taken away. */
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
  // Entries, not assignments: a key named `__proto__` must stay a key.
  const entries: [string, unknown][] = [];
  let changed = false;
  for (const key of Object.keys(value)) {
    const field = fieldSchema(schema, key);
    const item = field === undefined ? value[key] : fieldWithDefaults(field, value[key], origin);
    if (item !== value[key]) changed = true;
    if (item !== undefined) entries.push([key, item]);
  }
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    if (!hasDefault(field) || Object.hasOwn(value, key)) continue;
    entries.push([key, defaultOf(field)]);
    changed = true;
  }
  return changed ? Object.fromEntries(entries) : value;
}

/** `undefined` where a null has to go. */
function fieldWithDefaults(schema: StructuralSchema, value: unknown, origin: Origin): unknown {
  if (value !== null || schema.nullable) return withDefaults(schema, value, origin);
  if (hasDefault(schema)) return defaultOf(schema);
  return origin === 'given' ? undefined : null;
}

function hasDefault(schema: StructuralSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** A copy: whoever gets the object may own it. Defaults may lack fields that have defaults themselves. */
function defaultOf(schema: StructuralSchema): unknown {
  return withDefaults(schema, structuredClone(schema.default), 'default');
}
