/**
 * The words that built-in kinds need beyond those of `schema`.
 *
 * Built-in objects are Go structs on the server, and that shows on the wire: some fields are there although
 * nobody gave them, as the zero value of their type. Each field therefore says who has to give it:
 *
 *     required(x)   the writer: the server refuses an object without it
 *     always(x)     nobody: the server writes its zero value where it is missing
 *     present(x)    nobody either; the published schema calls it optional, yet every object that is read has it
 *     filled(x)     nobody; code that reads may not rely on it, because code that writes may leave it out
 *     x             the writer may, and otherwise it is absent
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

/** An object that is there in whatever is read, as `{}` at least. */
export function present<T>(schema: Schema<T>): RequiredSchema<T> {
  return withDefault(schema, {});
}

/** An object that the server writes as `{}` where nobody gave it. */
export function filled<T>(schema: Schema<T>): Schema<T> {
  return withDefault(schema, {});
}

export function withDefault<T>(schema: Schema<T>, value: unknown): Schema<T> {
  return { ...schema, default: value };
}

/** What Go holds in a variable that nobody has set. */
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

/** A time that is null until it is known, where Kubernetes writes it in any case. */
export function nullableTime(description: string): Schema<string | null> {
  return nullable(dateTime(description));
}

/** An amount such as `500m`, `2` or `1.5Gi`. The server writes texts, but reads numbers too, also broken ones. */
export function quantity(description: string): Schema<string | number> {
  return { description, oneOf: [{ type: 'string' }, { type: 'number' }] };
}

/** Amounts by the name of the resource: cpu, memory, ephemeral-storage, pods, or one that a vendor names. */
export function quantities(description: string): Schema<{ readonly [resource: string]: string | number }> {
  return named('core.ResourceList', mapOf(description, quantity('How much of it.')));
}

/** Texts in an order, replaced as a whole. */
export function strings(description: string, item: string): Schema<readonly string[]> {
  return list(description, string(item), { list: 'atomic' });
}

/** Items in an order, replaced as a whole. */
export function items<T>(description: string, item: Schema<T>): Schema<readonly T[]> {
  return list(description, item, { list: 'atomic' });
}

export function stringMap(
  description: string,
  value = 'The value.',
): Schema<{ readonly [key: string]: string }> {
  return mapOf(description, string(value));
}

/** `retainKeys`: what the patch does not name is taken away, so that one member of a union replaces another. */
type PatchStrategy = 'merge' | 'retainKeys' | 'merge,retainKeys' | 'replace';

/**
 * Items that are told apart by keys: by all of them in server-side apply, by the first in strategic merge
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

/** How strategic merge patches treat the field, where that does not follow from its list type. */
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
