/**
 * Encodes JSON as a message. Values that do not fit the message are left out: objects were validated before.
 */
import { isJsonObject, isObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { base64Bytes } from '../../base/text/index.ts';
import { wireTypeOf } from './decode-message.ts';
import { FORMS } from './json-forms.ts';
import type { Field, FieldType, Message } from './message.ts';
import { BYTES, Writer } from './wire.ts';

const UTF8 = new TextEncoder();

export function encodeMessage(message: Message, object: JsonObject): Uint8Array {
  const writer = new Writer();
  for (const field of message.fields) {
    if (field.shape === 'inline') {
      writeBytes(writer, field.number, encodeMessage(field.type.message(), object));
      continue;
    }
    const value = own(object, field.name);
    // Absent and null are the same. Objects were parsed from JSON, so the value is JSON.
    if (value !== undefined && value !== null) writeField(writer, field, value as Json);
  }
  return writer.finish();
}

function writeField(writer: Writer, field: Field, value: Json): void {
  const { shape, type } = field;
  if (shape === 'list') {
    if (Array.isArray(value)) for (const item of value) writeValue(writer, field, item);
  } else if (shape === 'map') {
    if (isObject(value))
      for (const key of Object.keys(value)) writeEntry(writer, field, key, value[key] ?? null);
  } else if (shape === 'optional' || type.kind !== 'scalar' || !isZero(value)) {
    writeValue(writer, field, value);
  }
}

function writeEntry(writer: Writer, { number, type }: Field, key: string, value: Json): void {
  const entry = new Writer();
  writeBytes(entry, 1, UTF8.encode(key));
  const bytes = bytesFor(type, value);
  if (bytes !== undefined) writeBytes(entry, 2, bytes);
  writeBytes(writer, number, entry.finish());
}

function writeValue(writer: Writer, field: Field, value: Json): void {
  const wireType = wireTypeOf(field);
  if (wireType === BYTES) {
    const bytes = bytesFor(field.type, value);
    if (bytes !== undefined) writeBytes(writer, field.number, bytes);
    return;
  }
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'number') return;
  writer.tag(field.number, wireType);
  if (field.type.of === 'double') writer.double(number);
  else writer.integer(number);
}

function bytesFor(type: FieldType, value: Json): Uint8Array | undefined {
  switch (type.kind) {
    case 'message':
      return isJsonObject(value) ? encodeMessage(type.message(), value) : undefined;
    case 'form': {
      const { message, fromJson } = FORMS[type.of];
      const fields = fromJson(value);
      // An empty item of a list or map is still an item.
      return encodeMessage(message, fields ?? {});
    }
    case 'scalar':
      if (typeof value !== 'string') return undefined;
      return type.of === 'bytes' ? base64Bytes(value) : UTF8.encode(value);
  }
}

function writeBytes(writer: Writer, number: number, bytes: Uint8Array): void {
  writer.tag(number, BYTES);
  writer.bytes(bytes);
}

function isZero(value: Json): boolean {
  return value === '' || value === 0 || value === false;
}
