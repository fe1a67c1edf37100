/**
 * Decodes strings, numbers and formatted strings as Go does.
 */
import type { Json } from '../../../base/json.ts';
import { base64Text, readQuantity } from '../../../base/text/index.ts';
import type { StructuralSchema } from '../../../kubernetes/schema/index.ts';
import { readBase64 } from './base64-text.ts';
import { readGoTime } from './go-time.ts';

type DecodedScalar =
  | { readonly kind: 'decoded'; readonly value: Json }
  | { readonly kind: 'failed'; readonly message: string };

/** The location of a value in Go's terms: the struct around it, the path from the root, its type. */
type GoLocation = { readonly struct: string; readonly goPath: string; readonly type: string };

export function decodeScalar(schema: StructuralSchema, value: unknown, location: GoLocation): DecodedScalar {
  if (schema['x-kubernetes-int-or-string'] === true) return decodeIntOrString(value, location);
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? decoded(value) : failed(typeError(value, location));
    case 'integer':
      return decodeInteger(value, location);
    case 'number':
      return typeof value === 'number' ? decoded(value) : failed(typeError(value, location));
    case 'string':
      return decodeText(schema, value, location);
    default: {
      const read = readQuantity(value, {
        atLeastMilli: location.type === 'resource.Quantity' && isAmount(location),
      });
      return read.kind === 'failed' ? read : decoded(read.text);
    }
  }
}

/** Go's message for a value of a wrong type. */
export function typeError(value: unknown, { struct, goPath, type }: GoLocation): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go struct field ${struct}.${goPath} of type ${type}`;
}

function decodeText(schema: StructuralSchema, value: unknown, location: GoLocation): DecodedScalar {
  if (schema.format === 'byte') return decodeBytes(value, location);
  if (schema.format === 'date-time') return decodeTime(value, location);
  return typeof value === 'string' ? decoded(wellFormed(value)) : failed(typeError(value, location));
}

function decodeTime(value: unknown, location: GoLocation): DecodedScalar {
  if (typeof value !== 'string') return failed(typeError(value, { ...location, type: 'string' }));
  const read = readGoTime(value, location.type === 'v1.MicroTime' ? 'MicroTime' : 'Time');
  return read.kind === 'failed' ? read : decoded(read.text);
}

function decodeBytes(value: unknown, location: GoLocation): DecodedScalar {
  if (Array.isArray(value)) return decodeByteList(value, location);
  if (typeof value !== 'string') return failed(typeError(value, location));
  const read = readBase64(value);
  return read.kind === 'failed' ? read : decoded(read.text);
}

/** Go also accepts a list of numbers as bytes. */
function decodeByteList(values: readonly unknown[], location: GoLocation): DecodedScalar {
  const bytes = values.map((value) => (value === null ? 0 : value));
  const wrong = bytes.find((byte) => !isByte(byte));
  if (wrong !== undefined) return failed(integerError(wrong, { ...location, type: 'uint8' }));
  return decoded(base64Text(Uint8Array.from(bytes.map(Number))));
}

function isByte(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256;
}

function decodeInteger(value: unknown, location: GoLocation): DecodedScalar {
  const bits = location.type === 'int32' ? 32 : 64;
  return fitsInto(value, bits) ? decoded(value) : failed(integerError(value, location));
}

function decodeIntOrString(value: unknown, location: GoLocation): DecodedScalar {
  if (typeof value === 'string') return decoded(wellFormed(value));
  return fitsInto(value, 32) ? decoded(value) : failed(integerError(value, { ...location, type: 'int32' }));
}

function fitsInto(value: unknown, bits: number): value is number {
  const end = 2 ** (bits - 1);
  return typeof value === 'number' && Number.isInteger(value) && value >= -end && value < end;
}

/** The message contains the number that does not fit. */
function integerError(value: unknown, location: GoLocation): string {
  const message = typeError(value, location);
  return typeof value === 'number' ? message.replace('number', `number ${value}`) : message;
}

/** Quantities in a ResourceList are rounded to milli-units; other quantities are not. */
function isAmount({ goPath }: GoLocation): boolean {
  return !SINGLE_QUANTITIES.test(goPath);
}

const SINGLE_QUANTITIES = /(^|\.)(sizeLimit|divisor)$/;

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

/** An unpaired surrogate cannot be encoded in UTF-8; Go replaces it by U+FFFD. */
function wellFormed(text: string): string {
  if (!hasSurrogate(text)) return text;
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/** Nearly no text has surrogates, and this check is much faster than a search for unpaired ones. */
export function hasSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

function decoded(value: Json): DecodedScalar {
  return { kind: 'decoded', value };
}

function failed(message: string): DecodedScalar {
  return { kind: 'failed', message };
}
