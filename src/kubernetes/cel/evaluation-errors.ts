/**
 * The server's errors for values of the wrong type. The messages depend on how its library declares each function: some
 * name the types, some the function, some nothing.
 */
import { typeName } from './conversions.ts';
import {
  Duration,
  EvaluationError,
  ListValue,
  noSuchOverload,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';

/** No overload of the function accepts these arguments. */
export function overloadError(name: string, args: readonly Value[]): EvaluationError {
  if (UNNAMED.has(name)) return noSuchOverload();
  const trait = TRAITS[name];
  if (trait === undefined) {
    return new EvaluationError(`no such overload: ${name}(${args.map(typeName).join(', ')})`);
  }
  const first = args[0] ?? null;
  const isKnown = RECEIVERS.has(typeName(first)) || trait.includes(typeName(first));
  return isKnown ? noSuchOverload() : new EvaluationError(`no such overload: ${name}`);
}

/** A list has no such index. */
export function indexError(index: Value): EvaluationError {
  const what = typeof index === 'number' ? `value ${index}` : `type '${typeName(index)}'`;
  return new EvaluationError(`unsupported index ${what} in list`);
}

/** The range of a macro cannot be iterated. `isPaired`: it has two variables. */
export function rangeError(range: Value, isPaired: boolean): EvaluationError {
  const type = goTypeOf(range);
  return new EvaluationError(
    isPaired ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`,
  );
}

const UNNAMED: ReadonlySet<string> = new Set(['!_', '@in', 'contains', 'endsWith', 'matches', 'startsWith']);
/** Types that receive any function call themselves, so that the error does not name the function. */
const RECEIVERS: ReadonlySet<string> = new Set([
  'string',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
]);

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = [...NUMBERS, 'bool', 'bytes'];
/** The functions that are traits of the first argument, and the types that have them. */
const TRAITS: { readonly [name: string]: readonly string[] } = {
  '_+_': [...NUMBERS, 'bytes', 'list'],
  '_-_': NUMBERS,
  '_*_': NUMBERS,
  '_/_': NUMBERS,
  '_%_': ['int', 'uint'],
  '-_': [...NUMBERS, 'bool'],
  '_<_': ORDERED,
  '_<=_': ORDERED,
  '_>_': ORDERED,
  '_>=_': ORDERED,
  size: ['bytes', 'list', 'map'],
};

function goTypeOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'types.Bool';
    case 'bigint':
      return 'types.Int';
    case 'number':
      return 'types.Double';
    case 'string':
      return 'types.String';
    default:
      return value === null ? 'types.Null' : goTypeOfObject(value);
  }
}

function goTypeOfObject(value: object): string {
  if (value instanceof Uint8Array) return 'types.Bytes';
  if (value instanceof Uint) return 'types.Uint';
  if (value instanceof Timestamp) return 'types.Timestamp';
  if (value instanceof Duration) return 'types.Duration';
  if (value instanceof OptionalValue) return '*types.Optional';
  if (value instanceof TypeValue) return '*types.Type';
  if (value instanceof ListValue) return '*types.baseList';
  return 'opaque' in value ? String(value.opaque).replace(/^kubernetes\./, 'cel.') : '*types.baseMap';
}
