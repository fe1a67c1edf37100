/**
 * Optionals: the type of `oldSelf` with `optionalOldSelf`, and the result of `self.?field`.
 */

import { A, BOOL, listOf, optionalOf } from './cel-type.ts';
import { type Library, overload } from './overloads.ts';
import {
  EvaluationError,
  ListValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  Uint,
  type Value,
} from './values.ts';

const OPTIONAL = optionalOf(A);

export const OPTIONALS: Library = {
  functions: {
    'optional.of': [overload([A], OPTIONAL, (value) => new OptionalValue(value))],
    'optional.none': [overload([], OPTIONAL, () => OptionalValue.NONE)],
    'optional.ofNonZeroValue': [
      overload([A], OPTIONAL, (value) => (isZero(value) ? OptionalValue.NONE : new OptionalValue(value))),
    ],
    'optional.unwrap': [overload([listOf(OPTIONAL)], listOf(A), unwrapped)],
  },
  methods: {
    hasValue: [overload([OPTIONAL], BOOL, (optional) => optional.value !== undefined)],
    value: [overload([OPTIONAL], A, held)],
    or: [
      overload([OPTIONAL, OPTIONAL], OPTIONAL, (first, other) => (first.value === undefined ? other : first)),
    ],
    orValue: [overload([OPTIONAL, A], A, (optional, other) => optional.value ?? other)],
    unwrapOpt: [overload([listOf(OPTIONAL)], listOf(A), unwrapped)],
    first: [overload([listOf(A)], OPTIONAL, (list) => new OptionalValue(list.items[0]))],
    last: [overload([listOf(A)], OPTIONAL, (list) => new OptionalValue(list.items.at(-1)))],
  },
};

function held(optional: OptionalValue): Value {
  if (optional.value === undefined) throw new EvaluationError('optional.none() dereference');
  return optional.value;
}

function unwrapped(list: ListValue): ListValue {
  return new ListValue(
    list.items.flatMap((item) =>
      item instanceof OptionalValue && item.value !== undefined ? [item.value] : [],
    ),
  );
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof ListValue) return value.items.length === 0;
  if (value instanceof MapValue) return value.entries.size === 0;
  if (value instanceof ObjectValue) return Object.keys(value.raw).length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  return false;
}
