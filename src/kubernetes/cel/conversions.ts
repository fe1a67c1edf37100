/**
 * Types as values, and conversions between them.
 */

import { durationText, floatText, parseDateTime, parseGoDuration, timeText } from '../../base/text/index.ts';
import {
  A,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapFrom,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeNamed,
  typeText,
  UINT,
} from './cel-type.ts';
import { checkedInt, checkedTime, checkedUint } from './operators.ts';
import { type Library, overload, traversal } from './overloads.ts';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

const utf8 = new TextEncoder();

export const CONVERSIONS: Library = {
  functions: {
    dyn: [overload([A], DYN, (value) => value)],
    type: [overload([A], typeNamed(A), (value) => new TypeValue(typeName(value)))],
    bool: [overload([BOOL], BOOL, (value) => value), overload([STRING], BOOL, boolOf)],
    bytes: [
      overload([BYTES], BYTES, (value) => value),
      overload([STRING], BYTES, (text) => utf8.encode(text), traversal()),
    ],
    int: [
      overload([INT], INT, (value) => value),
      overload([UINT], INT, (value) => checkedInt(value.value)),
      overload([DOUBLE], INT, intOfDouble),
      overload([STRING], INT, (text) => checkedOr(text, /^[+-]?\d+$/, 'int', checkedInt)),
      overload([TIMESTAMP], INT, (time) => floorDivide(time.nanos, NANOS_PER_SECOND)),
      overload([DURATION], INT, (duration) => duration.nanos),
    ],
    uint: [
      overload([UINT], UINT, (value) => value),
      overload([INT], UINT, (value) => checkedUint(value)),
      overload([DOUBLE], UINT, (value) => checkedUint(BigInt(Math.trunc(finite(value, 'unsigned integer'))))),
      overload([STRING], UINT, (text) => checkedOr(text, /^\d+$/, 'uint', checkedUint)),
    ],
    double: [
      overload([DOUBLE], DOUBLE, (value) => value),
      overload([INT], DOUBLE, (value) => Number(value)),
      overload([UINT], DOUBLE, (value) => Number(value.value)),
      overload([STRING], DOUBLE, doubleOf),
    ],
    string: [
      overload([STRING], STRING, (text) => text),
      overload([BOOL], STRING, (value) => String(value)),
      overload([INT], STRING, (value) => String(value)),
      overload([UINT], STRING, (value) => String(value.value)),
      overload([DOUBLE], STRING, (value) => floatText(value)),
      overload([BYTES], STRING, textOfBytes, traversal()),
      overload([TIMESTAMP], STRING, (time) => timeText(time.nanos)),
      overload([DURATION], STRING, (duration) => durationText(duration.nanos)),
    ],
    timestamp: [
      overload([TIMESTAMP], TIMESTAMP, (time) => time),
      overload([STRING], TIMESTAMP, timestampOf),
      overload([INT], TIMESTAMP, (seconds) => checkedTime(seconds * NANOS_PER_SECOND)),
    ],
    duration: [
      overload([DURATION], DURATION, (duration) => duration),
      overload([STRING], DURATION, durationOf),
    ],
  },
  methods: {},
};

const NANOS_PER_SECOND = 1_000_000_000n;
/** Longer strings are no sensible numbers. */
const MAX_NUMBER_CHARS = 400;

/** The types that a rule can refer to: `type(self) == string`. */
export const TYPE_NAMES: ReadonlyMap<string, { readonly type: CelType; readonly value: TypeValue }> = new Map(
  [
    BOOL,
    BYTES,
    DOUBLE,
    INT,
    STRING,
    UINT,
    TIMESTAMP,
    DURATION,
    listOf(DYN),
    mapFrom(DYN, DYN),
    NULL,
    typeNamed(DYN),
    optionalOf(DYN),
  ]
    .map((type) => [nameOfType(type), type] as const)
    .map(([name, type]) => [name, { type: typeNamed(type), value: new TypeValue(name) }]),
);

function nameOfType(type: CelType): string {
  switch (type.kind) {
    case 'list':
    case 'map':
    case 'type':
      return type.kind;
    case 'optional':
      return 'optional_type';
    case 'null':
      return 'null_type';
    default:
      return typeText(type);
  }
}

/** The runtime type of a value; objects of the schema are maps then. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, null | boolean | bigint | number | string>): string {
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return typeText(TIMESTAMP);
  if (value instanceof Duration) return typeText(DURATION);
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue || value instanceof ObjectValue) return 'map';
  if (value instanceof OptionalValue) return 'optional_type';
  return value instanceof TypeValue ? 'type' : value.opaque;
}

function conversionError(from: string, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${from}' to '${to}'`);
}

function boolOf(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw conversionError('string', 'bool');
}

function intOfDouble(value: number): bigint {
  const whole = BigInt(Math.trunc(finite(value, 'integer')));
  return checkedInt(whole);
}

function finite(value: number, what: string): number {
  if (!Number.isFinite(value)) throw new EvaluationError(`${what} overflow`);
  return value;
}

function checkedOr<T>(text: string, form: RegExp, to: string, check: (value: bigint) => T): T {
  if (text.length > MAX_NUMBER_CHARS || !form.test(text)) throw conversionError('string', to);
  try {
    return check(BigInt(text.replace(/^\+/, '')));
  } catch (error) {
    // As on the server, a number out of range is reported like a string that is no number.
    if (error instanceof EvaluationError) throw conversionError('string', to);
    throw error;
  }
}

function doubleOf(text: string): number {
  if (text.length > MAX_NUMBER_CHARS) throw conversionError('string', 'double');
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return value;
  }
  if (/^\+?inf(inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-inf(inity)?$/i.test(text)) return Number.NEGATIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  throw conversionError('string', 'double');
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function timestampOf(text: string): Timestamp {
  const nanos = /^[0-9TZ:.+-]+$/.test(text) ? parseDateTime(text) : undefined;
  if (nanos === undefined) throw conversionError('string', typeText(TIMESTAMP));
  return checkedTime(nanos);
}

function durationOf(text: string): Duration {
  const nanos = parseGoDuration(text);
  if (nanos === undefined) throw conversionError('string', typeText(DURATION));
  return new Duration(nanos);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && value % by !== 0n ? quotient - 1n : quotient;
}
