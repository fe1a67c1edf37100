/**
 * Decodes any JSON value into a value of a shape.
 *
 * Wrong types are problems. Fields that the version does not have are warnings and are dropped, as Ignition does.
 * Empty structs and lists are dropped too, so that equal meaning has one form.
 */
import { joinPath, type Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import type { List, Scalar, Shape, Struct } from './shape.ts';

export type Decoding = {
  /** The version of the value. */
  readonly major: number;
  readonly minor: number;
  readonly problems: Problem[];
  readonly warnings: Problem[];
};

/** Returns `undefined` where nothing is kept. Recursion is bounded by the depth of the shapes. */
export function decode(shape: Shape, value: unknown, path: string, decoding: Decoding): unknown {
  switch (shape.kind) {
    case 'struct':
      return decodeStruct(shape, value, path, decoding);
    case 'list':
      return decodeList(shape, value, path, decoding);
    default:
      return decodeScalar(shape, value, path, decoding);
  }
}

function decodeStruct(shape: Struct, value: unknown, path: string, decoding: Decoding): unknown {
  const isAbsent = value === undefined || value === null;
  if (!isAbsent && !isObject(value)) wrongType(path, 'an object', value, decoding);
  const given = isObject(value) ? value : {};
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape.fields)) {
    if (field.since > decoding.minor) continue;
    const item = decode(field, own(given, name), joinPath(path, name), decoding);
    if (item !== undefined) result[name] = item;
  }
  for (const name of Object.keys(given)) {
    const field = own(shape.fields, name) as Shape | undefined;
    if (field === undefined) {
      warn(joinPath(path, name), `unknown key ${JSON.stringify(name)} is ignored`, decoding);
    } else if (field.since > decoding.minor) {
      const { major, minor } = decoding;
      const text = `${name} exists since Ignition ${major}.${field.since}.0 and is ignored in ${major}.${minor}.0; raise ignition.version to use it`;
      warn(joinPath(path, name), text, decoding);
    }
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

function decodeList(shape: List, value: unknown, path: string, decoding: Decoding): unknown {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) wrongType(path, 'a list', value, decoding);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map(
    (item, index) => decode(shape.item, item, `${path}[${index}]`, decoding) ?? zeroOf(shape.item),
  );
}

function decodeScalar(shape: Scalar, value: unknown, path: string, decoding: Decoding): unknown {
  const missing = shape.always ? zeroOf(shape) : undefined;
  if (value === undefined || value === null) return missing;
  if (isOfKind(shape.kind, value)) return value;
  wrongType(path, WANTED[shape.kind], value, decoding);
  return missing;
}

const WANTED = { string: 'a string', boolean: 'true or false', integer: 'a whole number' } as const;

function isOfKind(kind: Scalar['kind'], value: unknown): boolean {
  return kind === 'integer' ? Number.isSafeInteger(value) : typeof value === kind;
}

/** The value of a `null` or empty item: validation then reports what is missing. */
function zeroOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'string':
      return '';
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'list':
      return [];
    case 'struct':
      return {};
  }
}

function wrongType(path: string, wanted: string, value: unknown, decoding: Decoding): void {
  decoding.problems.push({
    path,
    message: `must be ${wanted}, not ${nameOfType(value)}`,
    reason: 'FieldValueTypeInvalid',
  });
}

function warn(path: string, message: string, decoding: Decoding): void {
  decoding.warnings.push({ path, message });
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'number':
      return Number.isSafeInteger(value) ? 'a number' : `the number ${value}`;
    case 'boolean':
      return 'a boolean';
    default:
      return `a ${typeof value}`;
  }
}
