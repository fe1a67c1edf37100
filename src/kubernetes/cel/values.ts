/**
 * The values of CEL, and their equality.
 *
 * CEL's integers are bigints here and its doubles numbers, so that the two never get mixed up.
 */
import { jsonEqual } from '../../base/json.ts';
import { unescapeName } from './names.ts';

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | ObjectValue
  | OptionalValue
  | TypeValue
  | Opaque;

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A time, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** The list type of the schema: sets and map lists are equal in any order. */
export type Pairing = 'atomic' | 'set' | { readonly keys: readonly string[] };

export class ListValue {
  readonly items: readonly Value[];
  readonly pairing: Pairing;
  constructor(items: readonly Value[], pairing: Pairing = 'atomic') {
    this.items = items;
    this.pairing = pairing;
  }
}

export type MapKey = string | bigint | boolean;

export class MapValue {
  readonly entries: ReadonlyMap<MapKey, Value>;
  constructor(entries: ReadonlyMap<MapKey, Value>) {
    this.entries = entries;
  }
}

/** An object of the schema. Fields are converted when a rule first selects them. */
export class ObjectValue {
  readonly raw: { readonly [key: string]: unknown };
  readonly #convert: (key: string, raw: unknown) => Value | undefined;
  readonly #fields = new Map<string, Value | undefined>();

  /** `convert` returns `undefined` for a field that rules have no access to. */
  constructor(
    raw: { readonly [key: string]: unknown },
    convert: (key: string, raw: unknown) => Value | undefined,
  ) {
    this.raw = raw;
    this.#convert = convert;
  }

  /** The field of this CEL name. A null counts as absent: rules test for it with `has`. */
  get(name: string): Value | undefined {
    const key = unescapeName(name);
    return key === undefined ? undefined : this.#field(key);
  }

  /** Whether the field exists, without converting it. */
  has(name: string): boolean {
    const key = unescapeName(name);
    const raw = key !== undefined && Object.hasOwn(this.raw, key) ? this.raw[key] : undefined;
    return raw !== undefined && raw !== null;
  }

  #field(key: string): Value | undefined {
    if (this.#fields.has(key)) return this.#fields.get(key);
    const raw = Object.hasOwn(this.raw, key) ? this.raw[key] : undefined;
    const value = raw === undefined || raw === null ? undefined : this.#convert(key, raw);
    this.#fields.set(key, value);
    return value;
  }

  equals(other: ObjectValue): boolean {
    const keys = Object.keys(this.raw);
    if (keys.length !== Object.keys(other.raw).length) return false;
    return keys.every((key) => {
      if (!Object.hasOwn(other.raw, key)) return false;
      const value = this.#field(key);
      const twin = other.#field(key);
      if (value === undefined || twin === undefined) return jsonEqual(this.raw[key], other.raw[key]);
      return areEqual(value, twin);
    });
  }
}

export class OptionalValue {
  static readonly NONE: OptionalValue = new OptionalValue(undefined);
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of Kubernetes' libraries. */
export type Opaque = {
  readonly opaque: string;
  equals(other: Opaque): boolean;
};

/** An error while a rule is evaluated. The message is the server's. */
export class EvaluationError extends Error {}

export const NO_SUCH_OVERLOAD = 'no such overload';

export function noSuchOverload(): EvaluationError {
  return new EvaluationError(NO_SUCH_OVERLOAD);
}

/** The key for a value in a map, if it can be one. */
export function mapKey(value: Value): MapKey | undefined {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return value;
  if (value instanceof Uint) return value.value;
  // A double matches the integer that it equals.
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

/** Values of different types are not equal, except numbers, which are compared by value. */
export function areEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return numbersEqual(a, b);
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left instanceof ListValue) return right instanceof ListValue && listsEqual(left, right);
  if (left instanceof MapValue) return right instanceof MapValue && mapsEqual(left, right);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareByteArrays(left, right) === 0;
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name;
  if (left instanceof OptionalValue) return right instanceof OptionalValue && optionalsEqual(left, right);
  if (left instanceof ObjectValue) return right instanceof ObjectValue && left.equals(right);
  if (left instanceof Uint || !('opaque' in left)) return false;
  return 'opaque' in right && left.opaque === right.opaque && left.equals(right);
}

/** Exact: a bigint is not rounded for the comparison with a double. */
function numbersEqual(left: bigint | number, right: bigint | number): boolean {
  if (typeof left === typeof right) return left === right;
  const [whole, float] = typeof left === 'bigint' ? [left, Number(right)] : [right, left];
  return Number.isInteger(float) && BigInt(float) === whole;
}

export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

function optionalsEqual(left: OptionalValue, right: OptionalValue): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return areEqual(left.value, right.value);
}

function mapsEqual(left: MapValue, right: MapValue): boolean {
  if (left.entries.size !== right.entries.size) return false;
  for (const [key, value] of left.entries) {
    const other = right.entries.get(key);
    if (other === undefined || !areEqual(value, other)) return false;
  }
  return true;
}

function listsEqual(left: ListValue, right: ListValue): boolean {
  if (left.items.length !== right.items.length) return false;
  if (left.pairing === 'atomic') {
    return left.items.every((item, index) => areEqual(item, right.items[index] ?? null));
  }
  const keys = identities(left.items, left.pairing);
  const others = identities(right.items, left.pairing);
  return [...others].every(([key, other]) => {
    const item = keys.get(key);
    return item !== undefined && areEqual(item, other);
  });
}

/** The items by their identity in the list. */
function identities(items: readonly Value[], pairing: Pairing): Map<string, Value> {
  return new Map(items.map((item) => [identity(item, pairing), item]));
}

export function identity(item: Value, pairing: Pairing): string {
  if (typeof pairing === 'object' && item instanceof ObjectValue) {
    return JSON.stringify(pairing.keys.map((key) => item.raw[key] ?? null));
  }
  if (item !== null && typeof item === 'object') return JSON.stringify(describe(item));
  return typeof item === 'bigint' ? `${item}` : JSON.stringify(item);
}

/** Enough of a value to distinguish it from others of its type. */
function describe(item: object): unknown {
  if ('raw' in item) return item.raw;
  if (item instanceof Uint8Array) return [...item];
  if ('nanos' in item) return String(item.nanos);
  return item instanceof ListValue ? item.items.map((inner) => identity(inner, 'atomic')) : String(item);
}

export function compareByteArrays(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
