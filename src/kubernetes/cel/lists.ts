/**
 * Lists and sets: sizes, sums, extremes, indexes.
 */

import {
  A,
  B,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapFrom,
  STRING,
  TIMESTAMP,
  UINT,
} from './cel-type.ts';
import { checkedDuration, checkedInt, checkedUint, compareValues } from './operators.ts';
import { type Cost, type Library, type Overload, overload, sizeForCost, weightOf } from './overloads.ts';
import {
  areEqual,
  Duration,
  EvaluationError,
  type ListValue,
  noSuchOverload,
  Uint,
  type Value,
} from './values.ts';

const itemsCost: Cost = ([list]) => sizeForCost(list) + Math.floor(weightOf(list) * 0.1);
const pairsCost: Cost = ([a, b]) => 1 + sizeForCost(a) * Math.ceil(weightOf(b) * 0.1);

const COMPARABLE: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

const SIZES = [
  overload([listOf(A)], INT, (list) => BigInt(list.items.length)),
  overload([mapFrom(A, B)], INT, (map) => BigInt(map.entries.size)),
  overload([BYTES], INT, (bytes) => BigInt(bytes.length)),
];

export const LISTS: Library = {
  functions: {
    size: SIZES,
    'sets.contains': [overload([listOf(A), listOf(A)], BOOL, containsAll, pairsCost)],
    'sets.equivalent': [
      overload([listOf(A), listOf(A)], BOOL, (a, b) => containsAll(a, b) && containsAll(b, a), pairsCost),
    ],
    'sets.intersects': [
      overload([listOf(A), listOf(A)], BOOL, (a, b) => a.items.some((item) => contains(b, item)), pairsCost),
    ],
  },
  methods: {
    size: SIZES,
    isSorted: COMPARABLE.map((type) => overload([listOf(type)], BOOL, isSorted, itemsCost)),
    min: COMPARABLE.map((type) => overload([listOf(type)], type, (list) => extreme(list, 'min'), itemsCost)),
    max: COMPARABLE.map((type) => overload([listOf(type)], type, (list) => extreme(list, 'max'), itemsCost)),
    sum: [
      overload([listOf(INT)], INT, (list) => checkedInt(total(list)), itemsCost),
      overload([listOf(UINT)], UINT, (list) => checkedUint(total(list)), itemsCost),
      overload([listOf(DOUBLE)], DOUBLE, sumOfDoubles, itemsCost),
      overload([listOf(DURATION)], DURATION, (list) => checkedDuration(total(list)), itemsCost),
    ] satisfies Overload[],
    indexOf: [
      overload(
        [listOf(A), A],
        INT,
        (list, item) => place(list.items.findIndex((other) => areEqual(other, item))),
        itemsCost,
      ),
    ],
    lastIndexOf: [
      overload(
        [listOf(A), A],
        INT,
        (list, item) => place(list.items.findLastIndex((other) => areEqual(other, item))),
        itemsCost,
      ),
    ],
  },
};

function place(index: number): bigint {
  return BigInt(index);
}

function contains(list: ListValue, item: Value): boolean {
  return list.items.some((other) => areEqual(other, item));
}

function containsAll(list: ListValue, others: ListValue): boolean {
  return others.items.every((item) => contains(list, item));
}

function isSorted(list: ListValue): boolean {
  return list.items.every((item, index) => {
    const before = index === 0 ? undefined : list.items[index - 1];
    return before === undefined || compareValues(before, item) <= 0;
  });
}

function extreme(list: ListValue, which: 'min' | 'max'): Value {
  const [first, ...rest] = list.items;
  if (first === undefined) throw new EvaluationError(`${which} called on empty list`);
  return rest.reduce<Value>((best, item) => {
    const order = compareValues(item, best);
    return (which === 'min' ? order < 0 : order > 0) ? item : best;
  }, first);
}

function total(list: ListValue): bigint {
  return list.items.reduce<bigint>((sum, item) => {
    if (typeof item === 'bigint') return sum + item;
    if (item instanceof Uint) return sum + item.value;
    if (item instanceof Duration) return sum + item.nanos;
    throw noSuchOverload();
  }, 0n);
}

function sumOfDoubles(list: ListValue): number {
  return list.items.reduce<number>((sum, item) => {
    if (typeof item !== 'number') throw noSuchOverload();
    return sum + item;
  }, 0);
}
