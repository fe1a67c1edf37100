/**
 * `'%s of %d'.format([a, b])`.
 */
import { compareBytes } from '../../base/json.ts';
import { durationText, floatText, quoted, timeText } from '../../base/text/index.ts';
import { typeName } from './conversions.ts';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

const CLAUSE = /%(?:%|(?:\.(\d{1,2}))?([a-zA-Z])|)/g;

export function formatText(template: string, args: ListValue): string {
  let next = 0;
  const text = template.replace(CLAUSE, (clause, precision: string | undefined, verb: string | undefined) => {
    if (clause === '%%') return '%';
    if (verb === undefined) throw new EvaluationError('unexpected end of format string');
    const arg = args.items[next];
    if (arg === undefined) throw new EvaluationError(`index ${next} out of range`);
    next++;
    return formatClause(verb, precision === undefined ? 6 : Number(precision), arg);
  });
  if (next < args.items.length) {
    throw new EvaluationError(
      `too many arguments supplied to string.format (expected ${next}, got ${args.items.length})`,
    );
  }
  return text;
}

function formatClause(verb: string, precision: number, arg: Value): string {
  const number = arg instanceof Uint ? arg.value : arg;
  switch (verb) {
    case 's':
      return stringOf(arg);
    case 'd':
      if (typeof number === 'bigint') return String(number);
      throw wrong('decimal clause can only be used on integers', arg);
    case 'f':
      if (typeof arg === 'number') return arg.toFixed(precision);
      throw wrong('fixed-point clause can only be used on doubles', arg);
    case 'e':
      if (typeof arg === 'number') return arg.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
      throw wrong('scientific clause can only be used on doubles', arg);
    case 'b':
      if (typeof arg === 'boolean') return arg ? '1' : '0';
      if (typeof number === 'bigint') return number.toString(2);
      throw wrong('only integers and bools can be formatted as binary', arg);
    case 'o':
      if (typeof number === 'bigint') return number.toString(8);
      throw wrong('octal clause can only be used on integers', arg);
    case 'x':
      return hexOf(arg);
    case 'X':
      return hexOf(arg).toUpperCase();
    default:
      throw new EvaluationError(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
}

function wrong(message: string, arg: Value): EvaluationError {
  return new EvaluationError(`error during formatting: ${message}, was given ${typeName(arg)}`);
}

function hexOf(arg: Value): string {
  if (typeof arg === 'bigint') return arg.toString(16);
  if (arg instanceof Uint) return arg.value.toString(16);
  const bytes = typeof arg === 'string' ? new TextEncoder().encode(arg) : arg;
  if (!(bytes instanceof Uint8Array)) {
    throw wrong('only integers, byte buffers, and strings can be formatted as hex', arg);
  }
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function stringOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return floatText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Timestamp) return timeText(value.nanos);
  if (value instanceof Duration) return durationText(value.nanos);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${value.items.map(literalOf).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = [...value.entries].map(([key, item]) => `${literalOf(key)}:${literalOf(item)}`);
    return `{${entries.sort(compareBytes).join(', ')}}`;
  }
  throw wrong(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}

/** Inside lists and maps, values are formatted as CEL literals. */
function literalOf(value: Value): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : `"${floatText(value)}"`;
  if (value instanceof Uint8Array) return `b${quoted(stringOf(value))}`;
  if (value instanceof Timestamp) return `timestamp(${quoted(timeText(value.nanos))})`;
  if (value instanceof Duration) return `duration(${quoted(durationText(value.nanos))})`;
  return stringOf(value);
}
