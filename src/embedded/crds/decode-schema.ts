/**
 * Decodes the schema of a CRD as kube-apiserver does, into the Go struct `JSONSchemaProps`.
 *
 * Unknown fields are dropped and listed, zero values with `omitempty` are dropped, and a value of a wrong type fails
 * with Go's message. Below `items`, `additionalProperties` and similar fields the struct has its own decoder: there
 * nothing is listed, and messages name the field above. Both differences are kube-apiserver's.
 */
import { isDeeperThan, isObject, type Json, type JsonObject, MAX_JSON_DEPTH } from '../../base/json.ts';

type DecodedSchema =
  | { readonly kind: 'decoded'; readonly schema: JsonObject; readonly unknownFields: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

/** The location of the schema: `goPath` without indexes (`spec.versions.schema`), `path` with them. */
type SchemaLocation = { readonly goPath: string; readonly path: string };

/** A schema needs two or three levels for every level of the values that it describes. */
const MAX_SCHEMA_DEPTH = 3 * MAX_JSON_DEPTH;

export function decodeSchema(value: unknown, { goPath, path }: SchemaLocation): DecodedSchema {
  if (isDeeperThan(value, MAX_SCHEMA_DEPTH)) return { kind: 'failed', message: 'json: exceeded max depth' };
  const findings: Findings = { unknownFields: [], failures: [] };
  const location: Location = { struct: 'CustomResourceValidation', goPath, path, isOpaque: false };
  const schema = decodeStruct(value, location, { type: 'v1.JSONSchemaProps', fields: FIELDS, findings });
  const [message] = findings.failures;
  if (message !== undefined) return { kind: 'failed', message };
  return { kind: 'decoded', schema: schema ?? {}, unknownFields: findings.unknownFields };
}

type Findings = { readonly unknownFields: string[]; readonly failures: string[] };

/** `isOpaque`: nothing is listed below, and paths are not extended. */
type Location = SchemaLocation & { readonly struct: string; readonly isOpaque: boolean };

/** The decoded value; undefined if the field counts as absent. */
type Decode = (value: unknown, location: Location, findings: Findings) => Json | undefined;
type Fields = { readonly [name: string]: Decode };

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** A pointer keeps zero values; other fields omit them. */
const textPointer = scalar(isText, 'string');
const flagPointer = scalar(isFlag, 'bool');
const number = scalar(isNumber, 'float64');
const text = unlessZero(textPointer);
const flag = unlessZero(flagPointer);

const integer: Decode = (value, location, findings) => {
  if (typeof value !== 'number') return reject(value, 'int64', location, findings);
  const fits = Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
  if (fits) return value;
  findings.failures.push(typeError(`number ${value}`, 'int64', location));
  return undefined;
};

const json: Decode = (value) => asJson(value);
const jsons = list('[]v1.JSON', json);
const texts = list('[]string', (value, location, findings) => textPointer(value ?? '', location, findings));

const RULE: Fields = {
  rule: textPointer,
  message: text,
  messageExpression: text,
  reason: scalar(isText, 'v1.FieldValueErrorReason'),
  fieldPath: text,
  optionalOldSelf: flagPointer,
};
const rules = list('v1.ValidationRules', (value, location, findings) => {
  const rule = decodeStruct(value ?? {}, location, { type: 'v1.ValidationRule', fields: RULE, findings });
  return rule && { rule: '', ...rule };
});

const schema: Decode = (value, location, findings) =>
  decodeStruct(value, location, { type: 'v1.JSONSchemaProps', fields: FIELDS, findings });
const schemas = list('[]v1.JSONSchemaProps', (value, location, findings) =>
  schema(value ?? {}, location, findings),
);
const namedSchemas = map('map[string]v1.JSONSchemaProps');

/** From here on the struct has its own decoder. */
const opaque =
  (decode: Decode): Decode =>
  (value, location, findings) =>
    decode(value, { ...location, isOpaque: true }, findings);

const schemaOrFlag = opaque((value, location, findings) => {
  if (typeof value === 'boolean') return value;
  if (isObject(value)) return schema(value, location, findings);
  findings.failures.push('boolean or JSON schema expected');
  return undefined;
});

/** Other types are ignored. */
const schemaOrList = opaque((value, location, findings) => {
  if (Array.isArray(value)) return schemas(value, location, findings);
  return isObject(value) ? schema(value, location, findings) : undefined;
});

const dependencies: Decode = (value, location, findings) => {
  if (!isObject(value)) return reject(value, 'v1.JSONSchemaDependencies', location, findings);
  return Object.fromEntries(Object.keys(value).map((key) => [key, asJson(value[key])]));
};

const DOCUMENTATION: Fields = { description: text, url: text };

const FIELDS: Fields = {
  id: text,
  $schema: unlessZero(scalar(isText, 'v1.JSONSchemaURL')),
  $ref: textPointer,
  description: text,
  type: text,
  format: text,
  title: text,
  default: json,
  maximum: number,
  exclusiveMaximum: flag,
  minimum: number,
  exclusiveMinimum: flag,
  maxLength: integer,
  minLength: integer,
  pattern: text,
  maxItems: integer,
  minItems: integer,
  uniqueItems: flag,
  multipleOf: number,
  enum: jsons,
  maxProperties: integer,
  minProperties: integer,
  required: texts,
  items: schemaOrList,
  allOf: schemas,
  oneOf: schemas,
  anyOf: schemas,
  not: schema,
  properties: namedSchemas,
  additionalProperties: schemaOrFlag,
  patternProperties: namedSchemas,
  dependencies,
  additionalItems: schemaOrFlag,
  definitions: map('v1.JSONSchemaDefinitions'),
  externalDocs: (value, location, findings) =>
    decodeStruct(value, location, { type: 'v1.ExternalDocumentation', fields: DOCUMENTATION, findings }),
  example: json,
  nullable: flag,
  'x-kubernetes-preserve-unknown-fields': flagPointer,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-list-type': textPointer,
  'x-kubernetes-map-type': textPointer,
  'x-kubernetes-validations': rules,
};

function decodeStruct(
  value: unknown,
  location: Location,
  { type, fields, findings }: { readonly type: string; readonly fields: Fields; readonly findings: Findings },
): JsonObject | undefined {
  if (!isObject(value)) return reject(value, type, location, findings);
  const struct = type.slice(type.indexOf('.') + 1);
  // Entries, not assignments: a key named `__proto__` must stay a key.
  const entries: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const at = location.isOpaque ? location : below({ ...location, struct }, key);
    if (field === undefined) {
      if (!location.isOpaque) findings.unknownFields.push(at.path);
    } else if (value[key] !== null && value[key] !== undefined) {
      const decoded = field(value[key], at, findings);
      if (decoded !== undefined) entries.push([key, decoded]);
    }
  }
  return Object.fromEntries(entries);
}

function scalar<T extends Json>(isFitting: (value: unknown) => value is T, type: string): Decode {
  return (value, location, findings) => (isFitting(value) ? value : reject(value, type, location, findings));
}

function unlessZero(decode: Decode): Decode {
  return (value, location, findings) => {
    const decoded = decode(value, location, findings);
    return decoded === '' || decoded === false ? undefined : decoded;
  };
}

/** An empty list counts as absent. */
function list(type: string, item: Decode): Decode {
  return (value, location, findings) => {
    if (!Array.isArray(value)) return reject(value, type, location, findings);
    const items = value.map((one: unknown, index): Json => {
      const at = location.isOpaque ? location : { ...location, path: `${location.path}[${index}]` };
      return item(one, at, findings) ?? null;
    });
    return items.length === 0 ? undefined : items;
  };
}

/** Schemas by name; an empty map counts as absent. */
function map(type: string): Decode {
  return (value, location, findings) => {
    if (!isObject(value)) return reject(value, type, location, findings);
    const entries = Object.keys(value).map((key): [string, Json] => {
      const at = location.isOpaque ? location : { ...location, path: `${location.path}.${key}` };
      return [key, schema(value[key] ?? {}, at, findings) ?? {}];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
}

function below(location: Location, key: string): Location {
  return { ...location, goPath: `${location.goPath}.${key}`, path: `${location.path}.${key}` };
}

function reject(value: unknown, type: string, location: Location, findings: Findings): undefined {
  findings.failures.push(typeError(jsonType(value), type, location));
  return undefined;
}

function typeError(what: string, type: string, { struct, goPath }: Location): string {
  return `json: cannot unmarshal ${what} into Go struct field ${struct}.${goPath} of type ${type}`;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** CRDs come from a JSON parser; values without a schema are not examined. */
function asJson(value: unknown): Json {
  return value as Json;
}
