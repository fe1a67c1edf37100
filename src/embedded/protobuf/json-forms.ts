/**
 * Messages that look different in JSON: times, quantities, integers or strings, raw JSON, and schemas or booleans.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { parseDateTime, timeText } from '../../base/text/index.ts';
import { jsonSchemaProps } from './json-schema-message.ts';
import { type FormName, type Message, parseMessage } from './message.ts';
import { WireError } from './wire.ts';

type Form = {
  /** The message on the wire. */
  readonly message: Message;
  /** The JSON value for the fields of that message. */
  readonly toJson: (fields: JsonObject) => Json;
  /** The fields for the JSON value; undefined where nothing is written. */
  readonly fromJson: (value: Json) => JsonObject | undefined;
};

const NANOS_PER_SECOND = 1_000_000_000n;
/** The years 0 to 9999, the range of times in JSON. */
const MIN_SECONDS = -62_167_219_200;
const MAX_SECONDS = 253_402_300_799;

const SCHEMAS = { JSONSchemaProps: jsonSchemaProps };

export const FORMS: { readonly [F in FormName]: Form } = {
  time: {
    message: parseMessage('Timestamp', '1 seconds ?long, 2 nanos ?int'),
    toJson: (fields) => (isEmpty(fields) ? null : secondsText(fields)),
    fromJson: (value) => {
      const nanos = nanosOf(value);
      return nanos === undefined ? undefined : { seconds: Number(secondsOf(nanos)) };
    },
  },
  microTime: {
    message: parseMessage('Timestamp', '1 seconds ?long, 2 nanos ?int'),
    toJson: (fields) => {
      if (isEmpty(fields)) return null;
      const micros = String(Math.floor(numberOf(fields.nanos) / 1000)).padStart(6, '0');
      return secondsText(fields).replace('Z', `.${micros}Z`);
    },
    fromJson: (value) => {
      const nanos = nanosOf(value);
      if (nanos === undefined) return undefined;
      const seconds = secondsOf(nanos);
      return { seconds: Number(seconds), nanos: Number(nanos - seconds * NANOS_PER_SECOND) };
    },
  },
  quantity: {
    message: parseMessage('Quantity', '1 string string'),
    toJson: ({ string }) => string ?? '0',
    fromJson: (value) => (typeof value === 'string' ? { string: value } : undefined),
  },
  intOrString: {
    message: parseMessage('IntOrString', '1 type long!, 2 intVal int!, 3 strVal string!'),
    toJson: ({ type, intVal, strVal }) => (type === 0 ? (intVal ?? 0) : (strVal ?? '')),
    fromJson: (value) => {
      if (typeof value === 'number') return { type: 0, intVal: value };
      return typeof value === 'string' ? { type: 1, strVal: value } : undefined;
    },
  },
  json: {
    message: parseMessage('RawExtension', '1 raw string'),
    toJson: ({ raw }) => (typeof raw === 'string' ? parseRaw(raw) : null),
    fromJson: (value) => (value === null ? undefined : { raw: JSON.stringify(value) }),
  },
  schemaOrBool: {
    message: parseMessage('JSONSchemaPropsOrBool', '1 allows bool!, 2 schema ?JSONSchemaProps', SCHEMAS),
    toJson: ({ allows, schema }) => schema ?? allows ?? false,
    fromJson: (value) => {
      if (typeof value === 'boolean') return { allows: value };
      // A schema implies that additional properties are allowed.
      return isJsonObject(value) ? { allows: true, schema: value } : undefined;
    },
  },
  schemaOrSchemas: {
    message: parseMessage(
      'JSONSchemaPropsOrArray',
      '1 schema ?JSONSchemaProps, 2 jSONSchemas [JSONSchemaProps]',
      SCHEMAS,
    ),
    toJson: ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
    fromJson: (value) => {
      if (Array.isArray(value)) return { jSONSchemas: value };
      return isJsonObject(value) ? { schema: value } : undefined;
    },
  },
  schemaOrTexts: {
    message: parseMessage(
      'JSONSchemaPropsOrStringArray',
      '1 schema ?JSONSchemaProps, 2 property [string]',
      SCHEMAS,
    ),
    toJson: ({ schema, property }) => property ?? schema ?? null,
    fromJson: (value) => {
      if (Array.isArray(value)) return { property: value };
      return isJsonObject(value) ? { schema: value } : undefined;
    },
  },
  texts: {
    message: parseMessage('ExtraValue', '1 items [string]'),
    toJson: ({ items }) => items ?? [],
    fromJson: (value) => (Array.isArray(value) ? { items: value } : undefined),
  },
};

/** A time that was never set is an empty message; the epoch is not. */
function isEmpty({ seconds, nanos }: JsonObject): boolean {
  return seconds === undefined && nanos === undefined;
}

function secondsText({ seconds }: JsonObject): string {
  const count = numberOf(seconds);
  if (count < MIN_SECONDS || count > MAX_SECONDS) throw new WireError('a time is out of range');
  return timeText(BigInt(count) * NANOS_PER_SECOND);
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function nanosOf(value: Json): bigint | undefined {
  return typeof value === 'string' ? parseDateTime(value) : undefined;
}

function secondsOf(nanos: bigint): bigint {
  const seconds = nanos / NANOS_PER_SECOND;
  return nanos < 0n && nanos % NANOS_PER_SECOND !== 0n ? seconds - 1n : seconds;
}

function parseRaw(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new WireError('a raw value is not JSON');
  }
}
