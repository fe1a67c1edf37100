/**
 * The types of CEL, as far as Kubernetes uses them.
 */
import type {
  Duration,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  Value,
} from './values.ts';

declare const native: unique symbol;

export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly item: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly item: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | ObjectType
  /** A type of Kubernetes' libraries, such as `kubernetes.URL`. */
  | { readonly kind: 'opaque'; readonly name: string }
  /** A type parameter of a signature. */
  | { readonly kind: 'param'; readonly name: string };

type SimpleKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  /** Any type; the actual one is known at run time only. */
  | 'dyn';

/**
 * An object with the fields of a schema. The names are CEL's, with escapes. Two object types are never the
 * same.
 */
export type ObjectType = {
  readonly kind: 'object';
  /** Its name in error messages, if it has one. */
  readonly name?: string;
  readonly fields: ReadonlyMap<string, CelType>;
};

/** A type that carries the TypeScript type of its values. */
export type TypeOf<T> = CelType & { readonly [native]?: T };
export type NativeOf<T> = T extends { readonly [native]?: infer N } ? Exclude<N, undefined> : never;

export const DYN: TypeOf<Value> = { kind: 'dyn' };
export const NULL: TypeOf<null> = { kind: 'null' };
export const UINT: TypeOf<Uint> = { kind: 'uint' };
export const TIMESTAMP: TypeOf<Timestamp> = { kind: 'timestamp' };
export const DURATION: TypeOf<Duration> = { kind: 'duration' };
/** Type parameters, which are the same type wherever they occur in a signature. */
export const A: TypeOf<Value> = { kind: 'param', name: 'A' };
export const B: TypeOf<Value> = { kind: 'param', name: 'B' };
export const BOOL: TypeOf<boolean> = { kind: 'bool' };
export const INT: TypeOf<bigint> = { kind: 'int' };
export const DOUBLE: TypeOf<number> = { kind: 'double' };
export const STRING: TypeOf<string> = { kind: 'string' };
export const BYTES: TypeOf<Uint8Array> = { kind: 'bytes' };

export function listOf(item: CelType): TypeOf<ListValue> & { readonly kind: 'list' } {
  return { kind: 'list', item };
}

export function mapFrom(key: CelType, value: CelType): TypeOf<MapValue> & { readonly kind: 'map' } {
  return { kind: 'map', key, value };
}

export function optionalOf(item: CelType): TypeOf<OptionalValue> & { readonly kind: 'optional' } {
  return { kind: 'optional', item };
}

export function typeNamed(of: CelType): TypeOf<TypeValue> {
  return { kind: 'type', of };
}

/** As in error messages: `list(string)`, `map(string, int)`. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.item)})`;
    case 'type':
      return `type(${typeText(type.of)})`;
    case 'opaque':
    case 'param':
      return type.name;
    case 'object':
      return type.name ?? 'object';
    case 'timestamp':
    case 'duration':
      return type.kind === 'timestamp' ? 'google.protobuf.Timestamp' : 'google.protobuf.Duration';
    default:
      return type.kind;
  }
}

/** The types that type parameters are bound to. */
export type Bindings = Map<string, CelType>;

/** Whether a value of type `actual` is assignable to `wanted`; binds type parameters. */
export function isAssignable(wanted: CelType, actual: CelType, bindings: Bindings = new Map()): boolean {
  if (wanted.kind === 'param') return bindParameter(wanted.name, actual, bindings);
  if (wanted.kind === 'dyn' || actual.kind === 'dyn') return true;
  if (actual.kind === 'null') return wanted.kind === 'null' || isNullable(wanted);
  if (wanted.kind === 'list' && actual.kind === 'list') {
    return isAssignable(wanted.item, actual.item, bindings);
  }
  if (wanted.kind === 'optional' && actual.kind === 'optional') {
    return isAssignable(wanted.item, actual.item, bindings);
  }
  if (wanted.kind === 'map' && actual.kind === 'map') {
    return (
      isAssignable(wanted.key, actual.key, bindings) && isAssignable(wanted.value, actual.value, bindings)
    );
  }
  if (wanted.kind === 'object') return wanted === actual;
  if (wanted.kind === 'opaque' && actual.kind === 'opaque') return wanted.name === actual.name;
  return wanted.kind === actual.kind;
}

function bindParameter(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined) {
    bindings.set(name, actual);
    return true;
  }
  const joined = join(bound, actual);
  if (joined === undefined) return false;
  bindings.set(name, joined);
  return true;
}

function isNullable(type: CelType): boolean {
  return ['object', 'opaque', 'timestamp', 'duration', 'optional'].includes(type.kind);
}

/** The common type of two types, if there is one. */
export function join(left: CelType, right: CelType): CelType | undefined {
  if (left.kind === 'dyn' || right.kind === 'dyn') return DYN;
  if (left.kind === 'null' && isNullable(right)) return right;
  if (isAssignable(left, right) && !mentionsDyn(left)) return left;
  if (!isAssignable(right, left)) return isAssignable(left, right) ? left : undefined;
  return right;
}

function mentionsDyn(type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
      return true;
    case 'list':
    case 'optional':
      return mentionsDyn(type.item);
    case 'map':
      return mentionsDyn(type.key) || mentionsDyn(type.value);
    default:
      return false;
  }
}

/** Replaces type parameters by the types they are bound to; unbound ones by dyn. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? DYN;
    case 'list':
      return listOf(substitute(type.item, bindings));
    case 'optional':
      return optionalOf(substitute(type.item, bindings));
    case 'type':
      return typeNamed(substitute(type.of, bindings));
    case 'map':
      return mapFrom(substitute(type.key, bindings), substitute(type.value, bindings));
    default:
      return type;
  }
}
