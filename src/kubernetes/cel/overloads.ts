/**
 * Functions of CEL: their overloads, and overload resolution.
 */
import {
  type Bindings,
  type CelType,
  DYN,
  isAssignable,
  type NativeOf,
  substitute,
  typeText,
} from './cel-type.ts';
import {
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

export type Overload = {
  /** For a method, the receiver comes first. */
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: (args: readonly Value[]) => Value;
  readonly cost: Cost;
};

/** The cost of a call, in the server's units: one per step, a tenth per character. */
export type Cost = (args: readonly Value[]) => number;

export type Library = {
  readonly functions: { readonly [name: string]: readonly Overload[] };
  readonly methods: { readonly [name: string]: readonly Overload[] };
};

type Natives<P extends readonly CelType[]> = { [I in keyof P]: NativeOf<P[I]> };

const ONE: Cost = () => 1;

export function overload<const P extends readonly CelType[]>(
  params: P,
  result: CelType,
  run: (...args: Natives<P>) => Value,
  cost: Cost = ONE,
): Overload {
  // A call is only evaluated with arguments that match the parameters: the one place that relies on it.
  return { params, result, run: (args) => run(...(args as unknown as Natives<P>)), cost };
}

/** The overloads that match arguments of these types, and the type of the result. */
export function resolve(
  overloads: readonly Overload[],
  args: readonly CelType[],
): { readonly candidates: readonly Overload[]; readonly type: CelType } | undefined {
  const candidates: Overload[] = [];
  const types: CelType[] = [];
  for (const candidate of overloads) {
    if (candidate.params.length !== args.length) continue;
    const bindings: Bindings = new Map();
    if (!candidate.params.every((param, index) => isAssignable(param, args[index] ?? DYN, bindings)))
      continue;
    candidates.push(candidate);
    types.push(substitute(candidate.result, bindings));
  }
  const [type] = types;
  if (type === undefined) return undefined;
  const isSame = types.every((other) => typeText(other) === typeText(type));
  return { candidates, type: isSame ? type : DYN };
}

/** The first overload that matches the values, if there is one. */
export function pick(candidates: readonly Overload[], args: readonly Value[]): Overload | undefined {
  return candidates.find(({ params }) => params.every((param, index) => fits(param, args[index] ?? null)));
}

function fits(type: CelType, value: Value): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'null':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    default:
      return typeof value === 'object' && value !== null && fitsObject(type, value);
  }
}

function fitsObject(type: CelType, value: object): boolean {
  switch (type.kind) {
    case 'uint':
      return value instanceof Uint;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'list':
      return value instanceof ListValue;
    case 'map':
      return value instanceof MapValue;
    case 'optional':
      return value instanceof OptionalValue;
    case 'type':
      return value instanceof TypeValue;
    case 'object':
      return value instanceof ObjectValue;
    case 'opaque':
      return 'opaque' in value && value.opaque === type.name;
    default:
      return false;
  }
}

/** The size of a value for the budget. */
export function sizeForCost(value: Value | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue) return value.items.length;
  if (value instanceof MapValue) return value.entries.size;
  if (value instanceof ObjectValue) return Object.keys(value.raw).length;
  if (value instanceof OptionalValue && value.value !== undefined) return sizeForCost(value.value);
  return 1;
}

const weights = new WeakMap<object, number>();

/** The number of all parts of a value: comparing two values may visit each. */
export function weightOf(value: Value | undefined): number {
  if (value instanceof ObjectValue) return weightOfJson(value.raw);
  if (!(value instanceof ListValue || value instanceof MapValue)) return sizeForCost(value);
  const known = weights.get(value);
  if (known !== undefined) return known;
  const parts = value instanceof ListValue ? value.items : [...value.entries.values()];
  const weight = parts.reduce<number>((sum, part) => sum + weightOf(part), 1);
  weights.set(value, weight);
  return weight;
}

function weightOfJson(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  const known = weights.get(value);
  if (known !== undefined) return known;
  const weight = Object.values(value).reduce<number>((sum, part) => sum + weightOfJson(part), 1);
  weights.set(value, weight);
  return weight;
}

/** Traversing the first argument once, or several times. */
export function traversal(times = 1): Cost {
  return ([value]) => Math.ceil(sizeForCost(value) * 0.1 * times);
}

/** Matching a regular expression: the length of the string times that of the expression. */
export const regexCost: Cost = ([text, pattern]) =>
  Math.ceil((1 + sizeForCost(text)) * 0.1) * Math.ceil(sizeForCost(pattern) * 0.25);
