/**
 * Field, map and list access, with and without `?`.
 */
import { type CelType, DYN } from './cel-type.ts';
import { indexError } from './evaluation-errors.ts';
import {
  EvaluationError,
  ListValue,
  MapValue,
  mapKey,
  ObjectValue,
  OptionalValue,
  Uint,
  type Value,
} from './values.ts';

/** The type of a field. Optionals are unwrapped: `a.?b.c` selects c of b. */
export function fieldType(type: CelType, name: string): CelType | 'undefined' | 'unsupported' {
  switch (type.kind) {
    case 'dyn':
      return DYN;
    case 'object':
      return type.fields.get(name) ?? 'undefined';
    case 'map':
      return type.value;
    case 'optional':
      return fieldType(type.item, name);
    default:
      return 'unsupported';
  }
}

export function indexType(type: CelType, key: CelType): CelType | undefined {
  switch (type.kind) {
    case 'dyn':
      return DYN;
    case 'list':
      return key.kind === 'int' || key.kind === 'dyn' ? type.item : undefined;
    case 'map':
      return key.kind === type.key.kind || key.kind === 'dyn' || type.key.kind === 'dyn'
        ? type.value
        : undefined;
    case 'optional':
      return indexType(type.item, key);
    default:
      return undefined;
  }
}

/**
 * The state of a chain such as `a.b[c].?d`. An optional at its beginning is unwrapped, and so is the result of its own
 * `?`: then the chain results in an optional too. An optional in the middle, as the value of a field, is a value without
 * fields.
 */
export type Reached = Value | Perhaps;

/** Within an optional chain: the value, or none. */
class Perhaps {
  static readonly NOTHING = new Perhaps(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export function beginChain(value: Value): Reached {
  return value instanceof OptionalValue ? perhaps(value.value) : value;
}

export function endChain(reached: Reached): Value {
  if (!(reached instanceof Perhaps)) return reached;
  return reached.value === undefined ? OptionalValue.NONE : new OptionalValue(reached.value);
}

function perhaps(value: Value | undefined): Perhaps {
  return value === undefined ? Perhaps.NOTHING : new Perhaps(value);
}

export function selectField(from: Reached, name: string, isOptional: boolean): Reached {
  const inner = from instanceof Perhaps ? from.value : from;
  const value = inner === undefined ? undefined : fieldOf(inner, name);
  if (isOptional || from instanceof Perhaps) return perhaps(value);
  if (value === undefined) throw new EvaluationError(`no such key: ${name}`);
  return value;
}

export function hasField(from: Reached, name: string): boolean {
  const inner = from instanceof Perhaps ? from.value : from;
  if (inner instanceof ObjectValue) return inner.has(name);
  return inner !== undefined && fieldOf(inner, name) !== undefined;
}

/**
 * A value without fields lacks every field: expressions of type dyn may select anything. Only lists require
 * numbers.
 */
function fieldOf(target: Value, name: string): Value | undefined {
  if (target instanceof ObjectValue) return target.get(name);
  if (target instanceof MapValue) return target.entries.get(name);
  if (target instanceof ListValue) throw indexError(name);
  return undefined;
}

export function selectIndex(from: Reached, index: Value, isOptional: boolean): Reached {
  const inner = from instanceof Perhaps ? from.value : from;
  const found = inner === undefined ? undefined : itemOf(inner, index);
  if (isOptional || from instanceof Perhaps) return perhaps(found);
  if (found !== undefined) return found;
  const what = inner instanceof ListValue ? 'index out of bounds' : 'no such key';
  throw new EvaluationError(`${what}: ${textOf(index)}`);
}

function textOf(index: Value): string {
  return index instanceof Uint ? String(index.value) : String(index);
}

function itemOf(target: Value, index: Value): Value | undefined {
  if (target instanceof ListValue) {
    const place = mapKey(index);
    if (typeof place !== 'bigint') throw indexError(index);
    return place >= 0n && place < target.items.length ? target.items[Number(place)] : undefined;
  }
  const key = mapKey(index);
  if (target instanceof MapValue) return key === undefined ? undefined : target.entries.get(key);
  if (target instanceof ObjectValue && typeof key === 'string') return target.get(key);
  return undefined;
}
