/**
 * From the schema to CEL: the types and values of the parts of an object.
 */
import { isObject } from '../../base/json.ts';
import {
  base64Bytes,
  goType,
  isWhole,
  parseDate,
  parseDateTime,
  parseDuration,
} from '../../base/text/index.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { BOOL, BYTES, type CelType, DOUBLE, DYN, INT, listOf, mapFrom, STRING } from './cel-type.ts';
import { escapeName } from './names.ts';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  ObjectValue,
  type Pairing,
  Timestamp,
  type Value,
} from './values.ts';

/**
 * The type in rules; undefined where the schema is not specific enough, and rules have no access.
 */
export function typeOfSchema(schema: StructuralSchema): CelType | undefined {
  const known = types.get(schema);
  if (known !== undefined) return known.type;
  const type = computeType(schema);
  types.set(schema, { type });
  return type;
}

const types = new WeakMap<StructuralSchema, { readonly type: CelType | undefined }>();

function computeType(schema: StructuralSchema): CelType | undefined {
  if (schema['x-kubernetes-int-or-string']) return DYN;
  switch (schema.type) {
    case 'array': {
      const item = schema.items && typeOfSchema(asResource(schema.items));
      return item && listOf(item);
    }
    case 'object':
      return isObject(schema.additionalProperties)
        ? mapType(schema.additionalProperties)
        : objectType(schema);
    case 'string':
      return STRING_TYPES[schema.format ?? ''] ?? STRING;
    case 'boolean':
      return BOOL;
    case 'number':
      return DOUBLE;
    case 'integer':
      return INT;
    default:
      return undefined;
  }
}

const STRING_TYPES: { readonly [format: string]: CelType } = {
  byte: BYTES,
  duration: { kind: 'duration' },
  date: { kind: 'timestamp' },
  'date-time': { kind: 'timestamp' },
};

function mapType(values: StructuralSchema): CelType | undefined {
  const value = typeOfSchema(asResource(values));
  return value && mapFrom(STRING, value);
}

function objectType(schema: StructuralSchema): CelType {
  const fields = new Map<string, CelType>();
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const name = escapeName(key);
    const type = typeOfSchema(asResource(property));
    if (name !== undefined && type !== undefined) fields.set(name, type);
  }
  return { kind: 'object', fields };
}

/** The schema of an embedded resource with the fields that every resource has; other schemas are unchanged. */
export function asResource(schema: StructuralSchema): StructuralSchema {
  return schema['x-kubernetes-embedded-resource'] ? withResourceFields(schema) : schema;
}

const resources = new WeakMap<StructuralSchema, StructuralSchema>();
const PLAIN_STRING: StructuralSchema = { type: 'string' };

/** Of metadata, rules have access to the name only: everything else may change without validation. */
export function withResourceFields(schema: StructuralSchema): StructuralSchema {
  const known = resources.get(schema);
  if (known !== undefined) return known;
  const metadata = schemaOf(schema.properties, 'metadata');
  const isNamed =
    schemaOf(metadata?.properties, 'name')?.type === 'string' &&
    schemaOf(metadata?.properties, 'generateName')?.type === 'string';
  const resource: StructuralSchema = isNamed
    ? schema
    : {
        ...schema,
        properties: {
          ...schema.properties,
          apiVersion: PLAIN_STRING,
          kind: PLAIN_STRING,
          metadata: { type: 'object', properties: { name: PLAIN_STRING, generateName: PLAIN_STRING } },
        },
      };
  resources.set(schema, resource);
  return resource;
}

type Properties = StructuralSchema['properties'];

function schemaOf(properties: Properties, name: string): StructuralSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** A part of an object as a value. Throws the server's error where data and schema do not agree. */
export function celValue(schema: StructuralSchema, raw: unknown): Value {
  if (raw === null || raw === undefined) {
    if (schema.nullable) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string']) return intOrString(raw);
  switch (schema.type) {
    case 'object':
      return objectValue(asResource(schema), raw);
    case 'array':
      return listValue(schema, raw);
    case 'string':
      return stringValue(schema, raw);
    case 'boolean':
      if (typeof raw === 'boolean') return raw;
      throw mismatch('bool', raw);
    case 'number':
      if (typeof raw === 'number') return raw;
      throw mismatch('float', raw);
    case 'integer':
      if (typeof raw === 'number' && isWhole(raw)) return BigInt(raw);
      throw mismatch('int', raw);
    default:
      throw new EvaluationError('invalid type, expected a schema with a type');
  }
}

function mismatch(wanted: string, raw: unknown): EvaluationError {
  return new EvaluationError(`invalid data, expected ${wanted}, got ${goType(raw)}`);
}

function intOrString(raw: unknown): Value {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number' && isWhole(raw)) return BigInt(raw);
  throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
}

function objectValue(schema: StructuralSchema, raw: unknown): Value {
  if (!isObject(raw)) {
    throw new EvaluationError('invalid data, expected a map for the provided schema with type=object');
  }
  const { properties, additionalProperties } = schema;
  if (isObject(additionalProperties)) {
    const keys = Object.keys(raw).filter((key) => raw[key] !== undefined);
    return new MapValue(new Map(keys.map((key) => [key, celValue(additionalProperties, raw[key])])));
  }
  return new ObjectValue(raw, (key, item) => {
    const property = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return property === undefined || typeOfSchema(property) === undefined
      ? undefined
      : celValue(property, item);
  });
}

function listValue(schema: StructuralSchema, raw: unknown): Value {
  const { items } = schema;
  if (!Array.isArray(raw)) {
    throw new EvaluationError('invalid data, expected an array for the provided schema with type=array');
  }
  if (items === undefined)
    throw new EvaluationError('invalid array type, expected Items with a non-empty Schema');
  return new ListValue(
    raw.map((item) => celValue(items, item)),
    pairingOf(schema),
  );
}

function pairingOf(schema: StructuralSchema): Pairing {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return 'set';
  return type === 'map' ? { keys: schema['x-kubernetes-list-map-keys'] ?? [] } : 'atomic';
}

function stringValue(schema: StructuralSchema, raw: unknown): Value {
  if (typeof raw !== 'string') throw mismatch('string', raw);
  switch (schema.format) {
    case 'byte':
      return orInvalid(base64Bytes(raw), 'byte formatted string', raw);
    case 'duration':
      return new Duration(orInvalid(parseDuration(raw), 'duration', raw));
    case 'date':
      return new Timestamp(orInvalid(parseDate(raw), 'date formatted string', raw));
    case 'date-time':
      return new Timestamp(orInvalid(parseDateTime(raw), 'date-time formatted string', raw));
    default:
      return raw;
  }
}

function orInvalid<T>(value: T | undefined, what: string, raw: string): T {
  if (value === undefined) throw new EvaluationError(`Invalid ${what} ${raw}`);
  return value;
}
