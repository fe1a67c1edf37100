/**
 * Decodes a message into the JSON that Kubernetes' own types marshal to.
 */
import { type Json, type JsonObject, MAX_JSON_DEPTH } from '../../base/json.ts';
import { base64Text } from '../../base/text/index.ts';
import { FORMS } from './json-forms.ts';
import { type Field, type FieldType, type Message, parseMessage, type Scalar } from './message.ts';
import { BYTES, FIXED64, Reader, VARINT, WireError } from './wire.ts';

/**
 * More than the largest request (3 MiB) holds in any sensible object: an empty message takes two bytes there.
 */
const MAX_MESSAGES = 200_000;

/** Throws a WireError for bytes that are no such message. */
export function decodeMessage(message: Message, bytes: Uint8Array): JsonObject {
  return new Decoder().message(message, bytes);
}

/** The values that were sent for a field, in order: numbers as such, everything else as bytes. */
type Sent = readonly (number | Uint8Array)[];

const NOTHING = new Uint8Array();
// A byte order mark at the beginning of a string belongs to the string.
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

class Decoder {
  #count = 0;
  #depth = 0;

  message(message: Message, bytes: Uint8Array): JsonObject {
    if (this.#depth >= MAX_JSON_DEPTH) throw new WireError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.#depth++;
    const object = this.#object(message, bytes);
    this.#depth--;
    return object;
  }

  /** For messages that are no level of their own in JSON. */
  #object(message: Message, bytes: Uint8Array): JsonObject {
    if (++this.#count > MAX_MESSAGES) throw new WireError(`more than ${MAX_MESSAGES} messages`);
    const sent = fieldsOf(message, bytes);
    const entries: [string, Json][] = [];
    for (const field of message.fields) {
      const values = sent.get(field.number) ?? [];
      if (field.shape === 'inline') {
        entries.push(...Object.entries(this.#object(field.type.message(), joined(values))));
        continue;
      }
      const value = this.#shown(field, values);
      if (value !== undefined) entries.push([field.name, value]);
    }
    return Object.fromEntries(entries);
  }

  /** Undefined: JSON omits the field. */
  #shown(field: Field, sent: Sent): Json | undefined {
    const { type, shape, isAlwaysShown } = field;
    if (shape === 'single') {
      if (type.kind !== 'scalar') return this.#value(type, joined(sent));
      const value = this.#value(type, last(sent));
      return isAlwaysShown || !isZero(value) ? value : undefined;
    }
    if (sent.length === 0) return isAlwaysShown ? null : undefined;
    if (shape === 'optional') {
      return this.#value(type, type.kind === 'scalar' ? last(sent) : joined(sent));
    }
    if (shape === 'map') return Object.fromEntries(sent.map((entry) => this.#entry(type, entry)));
    return sent.map((item) => this.#value(type, item));
  }

  #entry(type: FieldType, sent: number | Uint8Array): [string, Json] {
    const parts = fieldsOf(ENTRY, bytesOf(sent));
    const key = TEXT.decode(bytesOf(last(parts.get(1) ?? [])));
    const value = parts.get(2) ?? [];
    return [key, this.#value(type, type.kind === 'scalar' ? last(value) : joined(value))];
  }

  #value(type: FieldType, sent: number | Uint8Array): Json {
    switch (type.kind) {
      case 'message':
        return this.message(type.message(), bytesOf(sent));
      case 'form': {
        const { message, toJson } = FORMS[type.of];
        return toJson(this.#object(message, bytesOf(sent)));
      }
      case 'scalar':
        return scalar(type.of, sent);
    }
  }
}

/** An entry of a map; the type of its value is that of the field. */
const ENTRY = parseMessage('Entry', '1 key bytes, 2 value bytes');

/** The values that were sent, by field number. Throws a WireError. */
export function fieldsOf(message: Message, bytes: Uint8Array): ReadonlyMap<number, Sent> {
  const sent = new Map<number, (number | Uint8Array)[]>();
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag(message.name);
    const field = message.byNumber.get(number);
    if (field === undefined) {
      reader.skip(wireType);
      continue;
    }
    const values = sent.get(number) ?? [];
    sent.set(number, values);
    readValue(reader, field, wireType, values);
  }
  return sent;
}

function readValue(reader: Reader, field: Field, wireType: number, into: (number | Uint8Array)[]): void {
  const wanted = wireTypeOf(field);
  if (wireType === BYTES && wanted !== BYTES && field.shape === 'list') {
    // A list of numbers may be packed into one field.
    const packed = new Reader(reader.bytes());
    while (!packed.isAtEnd) into.push(packed.integer(bitsOf(field)));
    return;
  }
  if (wireType !== wanted) {
    throw new WireError(`proto: wrong wireType = ${wireType} for field ${goName(field)}`);
  }
  if (wanted === VARINT) into.push(reader.integer(bitsOf(field)));
  else into.push(wanted === FIXED64 ? reader.double() : reader.bytes());
}

function bitsOf({ type }: Field): 32 | 64 {
  return type.of === 'int' ? 32 : 64;
}

export function wireTypeOf({ type, shape }: Field): number {
  if (shape === 'map' || type.kind !== 'scalar') return BYTES;
  switch (type.of) {
    case 'bool':
    case 'int':
    case 'long':
      return VARINT;
    case 'double':
      return FIXED64;
    default:
      return BYTES;
  }
}

/** The name of the field in Kubernetes' Go types, as far as error messages show it. */
function goName({ name, type }: Field): string {
  if (name === 'metadata') return type.of;
  if (name === 'apiVersion') return 'APIVersion';
  if (name === 'uid') return 'UID';
  const text = name === '' ? type.of : name;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function scalar(of: Scalar, sent: number | Uint8Array): Json {
  const [number, bytes] = typeof sent === 'number' ? [sent, NOTHING] : [0, sent];
  switch (of) {
    case 'string':
      return TEXT.decode(bytes);
    case 'bytes':
      return base64Text(bytes);
    case 'bool':
      return number !== 0;
    default:
      return finite(number);
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new WireError('a number is not finite');
  return value;
}

function isZero(value: Json): boolean {
  return value === '' || value === 0 || value === false;
}

function last(sent: Sent): number | Uint8Array {
  return sent.at(-1) ?? NOTHING;
}

/** A message that was sent in pieces is the concatenation of the pieces. */
export function joined(sent: Sent): Uint8Array {
  const [first, ...others] = sent.map(bytesOf);
  if (first === undefined) return NOTHING;
  if (others.length === 0) return first;
  const whole = new Uint8Array(others.reduce((sum, one) => sum + one.length, first.length));
  let at = 0;
  for (const piece of [first, ...others]) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function bytesOf(sent: number | Uint8Array): Uint8Array {
  return typeof sent === 'number' ? NOTHING : sent;
}
