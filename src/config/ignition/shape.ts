/**
 * The building blocks of the Ignition format (`config.ts`).
 *
 * A shape defines the type of a value, the minor version that introduced a field, and how two values merge. Decoding,
 * merging and the TypeScript types are all derived from it.
 */

export type Scalar = {
  readonly kind: 'string' | 'integer' | 'boolean';
  readonly since: number;
  /** The field is always present: absent reads as its zero value, which is then validated. */
  readonly always: boolean;
};

// Interfaces, since type aliases cannot refer to themselves through parameter defaults.
export interface Struct<F extends Fields = Fields> {
  readonly kind: 'struct';
  readonly since: number;
  readonly fields: F;
  /** Lists that share one key space: an item in one removes the item of that key in another. */
  readonly sharedKeys: readonly (readonly string[])[];
}

export interface List<S extends Shape = Shape> {
  readonly kind: 'list';
  readonly since: number;
  readonly item: S;
  /** The key of an item; `undefined`: items have no identity and lists are concatenated. */
  readonly keyOf?: (item: unknown) => string;
  /** An item without this field removes the item of its key that it is merged over. */
  readonly removedWithout?: string;
}

export type Shape = Scalar | Struct | List;
interface Fields {
  readonly [name: string]: Shape;
}

/** The value that a shape describes. */
export type ValueOf<S> = S extends { readonly kind: 'string' }
  ? string
  : S extends { readonly kind: 'integer' }
    ? number
    : S extends { readonly kind: 'boolean' }
      ? boolean
      : S extends List<infer I>
        ? readonly ValueOf<I>[]
        : S extends Struct<infer F>
          ? StructValue<F>
          : never;

type AlwaysNames<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly always: true } ? K : never;
}[keyof F];
type Flatten<T> = { [K in keyof T]: T[K] };
type StructValue<F extends Fields> = Flatten<
  { readonly [K in AlwaysNames<F>]: ValueOf<F[K]> } & {
    readonly [K in Exclude<keyof F, AlwaysNames<F>>]?: ValueOf<F[K]>;
  }
>;

export const text = { kind: 'string', since: 0, always: false } as const;
export const integer = { kind: 'integer', since: 0, always: false } as const;
export const flag = { kind: 'boolean', since: 0, always: false } as const;

/** A string that identifies its item. */
export const identity = { kind: 'string', since: 0, always: true } as const;

export function struct<F extends Fields>(
  fields: F,
  options: { readonly sharedKeys?: readonly (readonly (keyof F & string)[])[] } = {},
): Struct<F> {
  return { kind: 'struct', since: 0, fields, sharedKeys: options.sharedKeys ?? [] };
}

/** Items are identified by this field. */
export function listBy<F extends Fields>(
  field: keyof F & string,
  item: Struct<F>,
  options: { readonly removedWithout?: keyof F & string } = {},
): List<Struct<F>> {
  return keyedList(
    item,
    (value) => String((value as { readonly [name: string]: unknown })[field] ?? ''),
    options,
  );
}

export function keyedList<F extends Fields>(
  item: Struct<F>,
  keyOf: (item: unknown) => string,
  options: { readonly removedWithout?: string } = {},
): List<Struct<F>> {
  return { kind: 'list', since: 0, item, keyOf, ...options };
}

/** Strings without duplicates. */
export const textSet: List<typeof text> = {
  kind: 'list',
  since: 0,
  item: text,
  keyOf: (item) => String(item),
};

/** Items without identity, which are concatenated. */
export function sequence<S extends Shape>(item: S): List<S> {
  return { kind: 'list', since: 0, item };
}

/** The field was introduced in this minor version; in an older config it is an unknown key. */
export function since<S extends Shape>(minor: number, shape: S): S {
  return { ...shape, since: minor };
}
