/**
 * Reaching into values: fields, map entries, list items, with and without `?`.
 */
import { type CelType, DYN } from './cel-type.ts';
import { indexMisuse } from './misuse.ts';
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

/** The type of a field. What is optional is looked through: `a.?b.c` asks for c in b. */
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

export function selectField(target: Value, name: string): Value {
  const value = fieldOf(target, name);
  if (value === undefined) throw new EvaluationError(`no such key: ${name}`);
  return value;
}

/** The field as an optional; nothing stays nothing. */
export function selectOptional(target: Value, name: string): Value {
  const inner = target instanceof OptionalValue ? target.value : target;
  const value = inner === undefined ? undefined : fieldOf(inner, name);
  return value === undefined ? OptionalValue.NONE : new OptionalValue(value);
}

export function hasField(target: Value, name: string): boolean {
  const inner = target instanceof OptionalValue ? target.value : target;
  if (inner instanceof ObjectValue) return inner.has(name);
  return inner !== undefined && fieldOf(inner, name) !== undefined;
}

/** What has no fields just lacks this one: an expression may look into anything. Only lists insist on numbers. */
function fieldOf(target: Value, name: string): Value | undefined {
  if (target instanceof ObjectValue) return target.get(name);
  if (target instanceof MapValue) return target.entries.get(name);
  if (target instanceof ListValue) throw indexMisuse(name);
  return undefined;
}

export function selectIndex(target: Value, index: Value, isOptional: boolean): Value {
  const inner = target instanceof OptionalValue ? target.value : target;
  const found = inner === undefined ? undefined : itemOf(inner, index);
  if (isOptional) return found === undefined ? OptionalValue.NONE : new OptionalValue(found);
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
    if (typeof place !== 'bigint') throw indexMisuse(index);
    return place >= 0n && place < target.items.length ? target.items[Number(place)] : undefined;
  }
  const key = mapKey(index);
  if (target instanceof MapValue) return key === undefined ? undefined : target.entries.get(key);
  if (target instanceof ObjectValue && typeof key === 'string') return target.get(key);
  return undefined;
}
