/**
 * The operators of CEL, under the names of error messages.
 */
import { compareBytes } from '../../base/json.ts';
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
import { type Cost, type Overload, overload, sizeForCost, weightOf } from './overloads.ts';
import {
  areEqual,
  compareByteArrays,
  Duration,
  EvaluationError,
  identity,
  ListValue,
  mapKey,
  numberOf,
  Timestamp,
  Uint,
  type Value,
} from './values.ts';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

const MIN_TIME = -62_135_596_800n * 1_000_000_000n;
const MAX_TIME = 253_402_300_800n * 1_000_000_000n - 1n;

export function checkedInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new EvaluationError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

export function checkedTime(nanos: bigint): Timestamp {
  if (nanos < MIN_TIME || nanos > MAX_TIME) throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanos);
}

export function checkedDuration(nanos: bigint): Duration {
  if (nanos < MIN_INT || nanos > MAX_INT) throw new EvaluationError('duration overflow');
  return new Duration(nanos);
}

const bothCost: Cost = ([a, b]) => Math.ceil((sizeForCost(a) + sizeForCost(b)) * 0.1);
const shorterCost: Cost = ([a, b]) => Math.ceil(Math.min(weightOf(a), weightOf(b)) * 0.1);
const searchCost: Cost = ([item, list]) => sizeForCost(list) * Math.ceil(weightOf(item) * 0.1);

export const OPERATORS: { readonly [name: string]: readonly Overload[] } = {
  '_+_': [
    overload([INT, INT], INT, (a, b) => checkedInt(a + b)),
    overload([UINT, UINT], UINT, (a, b) => checkedUint(a.value + b.value)),
    overload([DOUBLE, DOUBLE], DOUBLE, (a, b) => a + b),
    overload([STRING, STRING], STRING, (a, b) => a + b, bothCost),
    overload([BYTES, BYTES], BYTES, (a, b) => Uint8Array.from([...a, ...b]), bothCost),
    overload([listOf(A), listOf(A)], listOf(A), concatenated, bothCost),
    overload([DURATION, DURATION], DURATION, (a, b) => checkedDuration(a.nanos + b.nanos)),
    overload([TIMESTAMP, DURATION], TIMESTAMP, (a, b) => checkedTime(a.nanos + b.nanos)),
    overload([DURATION, TIMESTAMP], TIMESTAMP, (a, b) => checkedTime(a.nanos + b.nanos)),
  ],
  '_-_': [
    overload([INT, INT], INT, (a, b) => checkedInt(a - b)),
    overload([UINT, UINT], UINT, (a, b) => checkedUint(a.value - b.value)),
    overload([DOUBLE, DOUBLE], DOUBLE, (a, b) => a - b),
    overload([DURATION, DURATION], DURATION, (a, b) => checkedDuration(a.nanos - b.nanos)),
    overload([TIMESTAMP, DURATION], TIMESTAMP, (a, b) => checkedTime(a.nanos - b.nanos)),
    overload([TIMESTAMP, TIMESTAMP], DURATION, (a, b) => checkedDuration(a.nanos - b.nanos)),
  ],
  '_*_': [
    overload([INT, INT], INT, (a, b) => checkedInt(a * b)),
    overload([UINT, UINT], UINT, (a, b) => checkedUint(a.value * b.value)),
    overload([DOUBLE, DOUBLE], DOUBLE, (a, b) => a * b),
  ],
  '_/_': [
    overload([INT, INT], INT, (a, b) => checkedInt(a / divisor(b, 'division'))),
    overload([UINT, UINT], UINT, (a, b) => checkedUint(a.value / divisor(b.value, 'division'))),
    overload([DOUBLE, DOUBLE], DOUBLE, (a, b) => a / b),
  ],
  '_%_': [
    overload([INT, INT], INT, (a, b) => a % divisor(b, 'modulus')),
    overload([UINT, UINT], UINT, (a, b) => checkedUint(a.value % divisor(b.value, 'modulus'))),
  ],
  '-_': [overload([INT], INT, (a) => checkedInt(-a)), overload([DOUBLE], DOUBLE, (a) => -a)],
  '!_': [overload([BOOL], BOOL, (a) => !a)],
  '_==_': [overload([A, A], BOOL, (a, b) => areEqual(a, b), shorterCost)],
  '_!=_': [overload([A, A], BOOL, (a, b) => !areEqual(a, b), shorterCost)],
  '@in': [
    overload([A, listOf(A)], BOOL, (a, list) => list.items.some((item) => areEqual(item, a)), searchCost),
    overload([A, mapFrom(A, B)], BOOL, (a, map) => {
      const key = mapKey(a);
      return key !== undefined && map.entries.has(key);
    }),
  ],
  '_<_': ordering((order) => order < 0),
  '_<=_': ordering((order) => order <= 0),
  '_>_': ordering((order) => order > 0),
  '_>=_': ordering((order) => order >= 0),
};

/** Negative if the first is less. Only for values with a declared ordering. */
export function compareValues(left: Value, right: Value): number {
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return compareNumbers(a, b);
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareByteArrays(left, right);
  if (left instanceof Timestamp && right instanceof Timestamp) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Duration && right instanceof Duration) return compareNumbers(left.nanos, right.nanos);
  throw new EvaluationError('no such overload');
}

function compareNumbers(left: bigint | number, right: bigint | number): number {
  if (Number.isNaN(left) || Number.isNaN(right)) throw new EvaluationError('NaN values cannot be ordered');
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

function ordering(holds: (order: number) => boolean): readonly Overload[] {
  const compare = (type: CelType, other: CelType = type, cost?: Cost): Overload => ({
    params: [type, other],
    result: BOOL,
    run: ([a, b]) => holds(compareValues(a ?? null, b ?? null)),
    cost: cost ?? (() => 1),
  });
  const numbers = [INT, UINT, DOUBLE];
  return [
    ...numbers.flatMap((a) => numbers.map((b) => compare(a, b))),
    ...[BOOL, TIMESTAMP, DURATION].map((type) => compare(type)),
    ...[STRING, BYTES].map((type) => compare(type, type, shorterCost)),
  ];
}

function divisor(value: bigint, what: string): bigint {
  if (value === 0n) throw new EvaluationError(`${what} by zero`);
  return value;
}

/** Sets are united; in map lists the items of the second replace those with the same keys. */
function concatenated(left: ListValue, right: ListValue): ListValue {
  const { pairing } = left;
  if (pairing === 'atomic') return new ListValue([...left.items, ...right.items]);
  const items = [...left.items];
  const places = new Map(items.map((item, index) => [identity(item, pairing), index]));
  for (const item of right.items) {
    const key = identity(item, pairing);
    const place = places.get(key);
    if (place === undefined) {
      places.set(key, items.length);
      items.push(item);
    } else if (pairing !== 'set') {
      items[place] = item;
    }
  }
  return new ListValue(items, pairing);
}
