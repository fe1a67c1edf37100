/**
 * Builders that built-in kinds need beyond those of `schema`.
 *
 * Built-in objects are Go structs on the server, so some fields are present although no client set them, with the zero
 * value of their type. The builder of a field determines who sets it:
 *
 *     required(x)   the client: the server refuses an object without it
 *     always(x)     the server, with the zero value; required by the published schema
 *     present(x)    the server; optional in the published schema, but every object that is read has it
 *     filled(x)     the server; readers may not rely on it, because writers may omit it
 *     x             the client, optionally
 */
import {
  dateTime,
  list,
  mapOf,
  named,
  nullable,
  type RequiredSchema,
  required,
  type Schema,
  type StructuralSchema,
  string,
} from '../schema/index.ts';

/** Required by the published schema, but filled in by the server. */
export function always<T>(schema: Schema<T>): RequiredSchema<T> {
  return required(withDefault(schema, zeroOf(schema)));
}

/** An object that is present in every object that is read, at least as `{}`. */
export function present<T>(schema: Schema<T>): RequiredSchema<T> {
  return withDefault(schema, {});
}

/** An object that the server fills in as `{}`. */
export function filled<T>(schema: Schema<T>): Schema<T> {
  return withDefault(schema, {});
}

export function withDefault<T>(schema: Schema<T>, value: unknown): Schema<T> {
  return { ...schema, default: value };
}

/** The zero value in Go. */
function zeroOf({ type }: StructuralSchema): unknown {
  switch (type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return {};
  }
}

/** A time that is null until it is set, which Kubernetes always writes. */
export function nullableTime(description: string): Schema<string | null> {
  return nullable(dateTime(description));
}

/** A quantity such as `500m`, `2` or `1.5Gi`. The server writes strings, but also accepts numbers. */
export function quantity(description: string): Schema<string | number> {
  return { description, oneOf: [{ type: 'string' }, { type: 'number' }] };
}

/** Quantities by the name of the resource: cpu, memory, ephemeral-storage, pods, or an extended resource. */
export function quantities(description: string): Schema<{ readonly [resource: string]: string | number }> {
  return named('core.ResourceList', mapOf(description, quantity('How much of it.')));
}

/** An atomic list of strings. */
export function strings(description: string, item: string): Schema<readonly string[]> {
  return list(description, string(item), { list: 'atomic' });
}

/** An atomic list. */
export function items<T>(description: string, item: Schema<T>): Schema<readonly T[]> {
  return list(description, item, { list: 'atomic' });
}

export function stringMap(
  description: string,
  value = 'The value.',
): Schema<{ readonly [key: string]: string }> {
  return mapOf(description, string(value));
}

/**
 * `retainKeys`: fields that are not in the patch are removed, so that one member of a union replaces another.
 */
type PatchStrategy = 'merge' | 'retainKeys' | 'merge,retainKeys' | 'replace';

/**
 * A list whose items are identified by keys: by all of them in server-side apply, by the first in strategic merge
 * patches.
 */
export function keyed<T>(
  description: string,
  item: Schema<T>,
  keys: readonly [string, ...string[]],
  strategy: PatchStrategy = 'merge',
): Schema<readonly T[]> {
  return patched(list(description, item, { list: { map: keys } }), { key: keys[0], strategy });
}

/** The strategic merge patch of a field, where it does not follow from the list type. */
export function patched<T>(
  schema: Schema<T>,
  { key, strategy }: { readonly key?: string; readonly strategy: PatchStrategy },
): Schema<T> {
  return {
    ...schema,
    ...(key === undefined ? {} : { 'x-kubernetes-patch-merge-key': key }),
    'x-kubernetes-patch-strategy': strategy,
  };
}
