/**
 * The words in which the Ignition format is written down (`config.ts`).
 *
 * A shape says what a value may be, since which 3.x version a field exists, and how two values of it merge.
 * Decoding, merging and the TypeScript types all read the same shapes.
 */

export type Scalar = {
  readonly kind: 'string' | 'integer' | 'boolean';
  readonly since: number;
  /** The field is always there: absent reads as its zero value, which validation then judges. */
  readonly always: boolean;
};

// Interfaces, since type aliases may not refer to themselves through the defaults of their parameters.
export interface Struct<F extends Fields = Fields> {
  readonly kind: 'struct';
  readonly since: number;
  readonly fields: F;
  /** Lists among the fields that share one space of keys: an item in one removes its namesake in another. */
  readonly sharedKeys: readonly (readonly string[])[];
}

export interface List<S extends Shape = Shape> {
  readonly kind: 'list';
  readonly since: number;
  readonly item: S;
  /** What makes two items the same one; `undefined`: items have no identity and lists are concatenated. */
  readonly keyOf?: (item: unknown) => string;
  /** An item without this field, laid over its namesake, removes it. */
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

/** A text that identifies its item. */
export const identity = { kind: 'string', since: 0, always: true } as const;

export function struct<F extends Fields>(
  fields: F,
  options: { readonly sharedKeys?: readonly (readonly (keyof F & string)[])[] } = {},
): Struct<F> {
  return { kind: 'struct', since: 0, fields, sharedKeys: options.sharedKeys ?? [] };
}

/** Items are the same when this field of theirs is. */
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

/** Texts without repetition. */
export const textSet: List<typeof text> = {
  kind: 'list',
  since: 0,
  item: text,
  keyOf: (item) => String(item),
};

/** Items that simply follow one another. */
export function sequence<S extends Shape>(item: S): List<S> {
  return { kind: 'list', since: 0, item };
}

/** The field appeared in 3.`minor`; in an older config it is an unknown key. */
export function since<S extends Shape>(minor: number, shape: S): S {
  return { ...shape, since: minor };
}
