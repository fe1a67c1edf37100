/**
 * Builders of structural schemas.
 *
 *     const pool = object('A group of nodes.', {
 *       name: required(string('Its name.', { maxLength: 253 })),
 *       paused: boolean('Whether updates wait.'),
 *     });
 *     type Pool = Infer<typeof pool>; // { readonly name: string; readonly paused?: boolean }
 *
 * The first argument describes the field; `kubectl explain` shows it. Fields are optional unless wrapped in
 * `required`.
 */
import type { StructuralSchema, ValidationRule } from './structural.ts';

declare const inferred: unique symbol;
declare const presence: unique symbol;

/** A structural schema that carries the TypeScript type of its values. */
export type Schema<T> = StructuralSchema & { readonly [inferred]?: T };
export type RequiredSchema<T> = Schema<T> & { readonly [presence]?: 'required' };
export type Infer<S> = S extends { readonly [inferred]?: infer T } ? Exclude<T, undefined> : never;

export type Fields = { readonly [name: string]: Schema<unknown> };
type RequiredNames<F extends Fields> = {
  [K in keyof F]-?: F[K] extends { readonly [presence]?: infer P }
    ? 'required' extends P
      ? K
      : never
    : never;
}[keyof F];
type Flatten<T> = { [K in keyof T]: T[K] };
export type ObjectOf<F extends Fields> = Flatten<
  { readonly [K in RequiredNames<F>]: Infer<F[K]> } & {
    readonly [K in Exclude<keyof F, RequiredNames<F>>]?: Infer<F[K]>;
  }
>;

type Rules = { readonly rules?: readonly ValidationRule[] };
export type ObjectOptions = Rules & { readonly minProperties?: number; readonly atomic?: boolean };

/** Schemas that were wrapped in `required`; the mark must not appear in the schema itself. */
const requiredSchemas = new WeakSet<object>();

export function required<T>(schema: Schema<T>): RequiredSchema<T> {
  const marked = { ...schema };
  requiredSchemas.add(marked);
  return marked as RequiredSchema<T>;
}

export function object<F extends Fields>(
  description: string,
  fields: F,
  options: ObjectOptions = {},
): Schema<ObjectOf<F>> {
  const names = Object.keys(fields).filter((name) => requiredSchemas.has(fields[name] as object));
  return clean({
    type: 'object',
    description,
    properties: Object.keys(fields).length === 0 ? undefined : fields,
    required: names.length === 0 ? undefined : names.sort(),
    minProperties: options.minProperties,
    'x-kubernetes-map-type': options.atomic ? 'atomic' : undefined,
    'x-kubernetes-validations': options.rules,
  });
}

type StringOptions = Rules & {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: string;
};

export function string(description: string, options: StringOptions = {}): Schema<string> {
  const { rules, ...limits } = options;
  return clean({ type: 'string', description, ...limits, 'x-kubernetes-validations': rules });
}

/** An enum of strings. */
export function oneOf<const V extends readonly string[]>(
  description: string,
  values: V,
  options: Rules & { readonly default?: V[number]; readonly maxLength?: number } = {},
): Schema<V[number]> {
  const { rules, ...rest } = options;
  return clean({ type: 'string', description, enum: values, ...rest, 'x-kubernetes-validations': rules });
}

/** A time in RFC 3339. */
export function dateTime(
  description: string,
  options: Rules & { readonly nullable?: boolean } = {},
): Schema<string> {
  return clean({
    type: 'string',
    format: 'date-time',
    description,
    nullable: options.nullable,
    'x-kubernetes-validations': options.rules,
  });
}

/** Bytes in base64; length limits count the characters of the encoded text. */
export function bytes(
  description: string,
  options: Rules & { readonly minLength?: number; readonly maxLength?: number } = {},
): Schema<string> {
  const { rules, ...limits } = options;
  return clean({ type: 'string', format: 'byte', description, ...limits, 'x-kubernetes-validations': rules });
}

export function boolean(description: string): Schema<boolean> {
  return { type: 'boolean', description };
}

type IntegerOptions = Rules & { readonly minimum?: number; readonly maximum?: number };

export function int32(description: string, options: IntegerOptions = {}): Schema<number> {
  const { rules, ...limits } = options;
  return clean({
    type: 'integer',
    format: 'int32',
    description,
    ...limits,
    'x-kubernetes-validations': rules,
  });
}

export function int64(description: string, options: IntegerOptions = {}): Schema<number> {
  const { rules, ...limits } = options;
  return clean({
    type: 'integer',
    format: 'int64',
    description,
    ...limits,
    'x-kubernetes-validations': rules,
  });
}

/** An integer, or a string such as `10%` or `5Gi`. */
export function intOrString(
  description: string,
  options: { readonly pattern?: string } = {},
): Schema<number | string> {
  return clean({
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    description,
    pattern: options.pattern,
  });
}

type ListOptions = Rules & {
  readonly minItems?: number;
  readonly maxItems?: number;
  /**
   * For server-side apply: `atomic` is replaced as a whole, `set` has distinct scalars, `map` merges items by
   * keys.
   */
  readonly list?: 'atomic' | 'set' | { readonly map: readonly string[] };
};

export function list<T>(
  description: string,
  items: Schema<T>,
  options: ListOptions = {},
): Schema<readonly T[]> {
  const { rules, list: kind, ...limits } = options;
  return clean({
    type: 'array',
    description,
    items,
    ...limits,
    'x-kubernetes-list-type': typeof kind === 'object' ? 'map' : kind,
    'x-kubernetes-list-map-keys': typeof kind === 'object' ? kind.map : undefined,
    'x-kubernetes-validations': rules,
  });
}

/** A map from strings to values of one type. */
export function mapOf<T>(description: string, values: Schema<T>): Schema<{ readonly [key: string]: T }> {
  return { type: 'object', description, additionalProperties: values };
}

/** An object whose contents are not validated. */
export function anyObject(description: string): Schema<{ readonly [key: string]: unknown }> {
  return { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
}

/** An object with some known fields; unknown fields are preserved. */
export function openObject<F extends Fields>(
  description: string,
  fields: F,
): Schema<ObjectOf<F> & { readonly [key: string]: unknown }> {
  return { ...object(description, fields), 'x-kubernetes-preserve-unknown-fields': true } as Schema<
    ObjectOf<F> & { readonly [key: string]: unknown }
  >;
}

/** The value may be `null`. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return { ...schema, nullable: true } as Schema<T | null>;
}

/** The same schema with another description, for a type that several fields share. */
export function described<T>(description: string, schema: Schema<T>): Schema<T> {
  return { ...schema, description };
}

/** The same schema with additional rules. */
export function withRules<T>(schema: Schema<T>, rules: readonly ValidationRule[]): Schema<T> {
  return { ...schema, 'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), ...rules] };
}

/** Drops undefined keys: in the CRD they would differ from absent ones. */
function clean<T>(schema: { readonly [key: string]: unknown }): Schema<T> {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined)) as Schema<T>;
}
