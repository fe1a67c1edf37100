/**
 * Decodes objects of built-in kinds as kube-apiserver does, which decodes JSON into Go structs.
 *
 * The result is what kube-apiserver would write back: unknown fields are dropped and listed, zero values with
 * `omitempty` are dropped, fields without `omitempty` are added, and times, quantities and bytes are in canonical form.
 * The first value of a wrong type fails the decoding with Go's message.
 */
import { isObject, type Json, type JsonObject, own } from '../../../base/json.ts';
import type { StructuralSchema } from '../../../kubernetes/schema/index.ts';
import type { Decoded } from '../strategy.ts';
import { decodeScalar, hasSurrogate, typeError } from './decode-scalar.ts';
import { goTypeOf, structNameOf } from './go-types.ts';

export function decodeBuiltin(schema: StructuralSchema): (sent: JsonObject) => Decoded {
  return (sent) => {
    const findings: Findings = { unknownFields: [], failures: [] };
    const object = decodeStruct(schema, sent, { goPath: '', path: '' }, findings);
    const [message] = findings.failures;
    if (message !== undefined) return { kind: 'failed', message };
    return { kind: 'decoded', object, unknownFields: findings.unknownFields };
  };
}

type Findings = { readonly unknownFields: string[]; readonly failures: string[] };

/** The location of the value: `goPath` without indexes (`spec.containers`), `path` with them. */
type Location = { readonly goPath: string; readonly path: string };
/** With the struct around the value and the Go type of the value. */
type TypedLocation = Location & { readonly struct: string; readonly type: string };

function decodeStruct(
  schema: StructuralSchema,
  value: { readonly [key: string]: unknown },
  location: Location,
  findings: Findings,
): JsonObject {
  const properties = schema.properties ?? {};
  // Entries, not assignments: a key named `__proto__` must stay a key.
  const entries: [string, Json][] = [];
  const given = new Set<string>();
  let isSame = true;
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (field === undefined) findings.unknownFields.push(dotted(location.path, key));
    const item = field === undefined ? undefined : decodeField(schema, key, value[key], location, findings);
    if (item === undefined || item !== value[key]) isSame = false;
    if (item === undefined) continue;
    entries.push([key, item]);
    given.add(key);
  }
  const added = addedFields(schema, given, location);
  // The value comes from a JSON parser, so it is a JSON object.
  if (isSame && added.length === 0) return value as JsonObject;
  return Object.fromEntries([...entries, ...added]);
}

/** What Go writes for absent fields. Defaults other than empty structs are set later. */
function addedFields(
  schema: StructuralSchema,
  given: ReadonlySet<string>,
  location: Location,
): readonly [string, Json][] {
  const known = addedFieldsCacheAt(location);
  const all = known.get(schema) ?? computeAddedFields(schema, location);
  known.set(schema, all);
  for (const [key] of all) if (!given.has(key)) return all.filter(([one]) => !given.has(one));
  return [];
}

type AddedFields = WeakMap<StructuralSchema, readonly [string, Json][]>;

/** Shared by all objects, because they are never changed. The metadata of the root object has fewer of these. */
const addedFieldsCaches: { readonly [location in 'root' | 'metadata' | 'below']: AddedFields } = {
  root: new WeakMap(),
  metadata: new WeakMap(),
  below: new WeakMap(),
};

function addedFieldsCacheAt({ path }: Location): AddedFields {
  if (path === '') return addedFieldsCaches.root;
  return path === 'metadata' ? addedFieldsCaches.metadata : addedFieldsCaches.below;
}

function computeAddedFields(schema: StructuralSchema, location: Location): readonly [string, Json][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]): [string, Json][] => {
    if (isCreationTime(location, key)) return [];
    if (field.properties !== undefined && isObject(field.default)) {
      return [
        [
          key,
          Object.fromEntries(
            addedFields(field, new Set(), { ...location, path: dotted(location.path, key) }),
          ),
        ],
      ];
    }
    const zero = zeroWithoutOmitempty(field, schema.required?.includes(key) ?? false);
    return zero === undefined ? [] : [[key, zero]];
  });
}

/** Undefined if the field counts as absent. */
function decodeField(
  parent: StructuralSchema,
  key: string,
  value: unknown,
  location: Location,
  findings: Findings,
): Json | undefined {
  const schema = parent.properties?.[key] ?? {};
  if (value === null || value === undefined) return undefined;
  if (isKnownUnchanged(value, schema)) return asJson(value);
  const goPath = dotted(location.goPath, key);
  const path = dotted(location.path, key);
  const at = { struct: structNameOf(parent), goPath, path, type: goTypeOf(schema) };
  const decoded = decodeValue(schema, value, at, findings);
  const isNothing = isEmpty(schema, decoded);
  const isPointer = schema['x-go-pointer'] === true;
  const isKept = isPointer || schema.nullable === true || (parent.required?.includes(key) ?? false);
  if (!isKept && isNothing) return undefined;
  // Storage does not distinguish an empty list from an absent one.
  if (schema.nullable === true && Array.isArray(decoded) && decoded.length === 0) return null;
  // Decoding a map again is faster than remembering it.
  const isLarge = isPart(location, key) && schema.additionalProperties === undefined;
  if (isLarge && !isNothing && decoded === value) remember(value, schema);
  return decoded;
}

/**
 * Larger parts of objects that decoding left unchanged, with their schema: updates send most parts unchanged, and these
 * are not decoded again. Objects are never changed in place.
 */
const unchangedParts = new WeakMap<object, StructuralSchema>();

function remember(value: unknown, schema: StructuralSchema): void {
  if (typeof value === 'object' && value !== null) unchangedParts.set(value, schema);
}

function isKnownUnchanged(value: unknown, schema: StructuralSchema): boolean {
  return typeof value === 'object' && value !== null && unchangedParts.get(value) === schema;
}

/** `spec`, `metadata.managedFields` and so on; not `metadata`, whose decoding depends on its location. */
function isPart({ goPath }: Location, key: string): boolean {
  return goPath === 'metadata' || (goPath === '' && key !== 'metadata');
}

function decodeValue(
  schema: StructuralSchema,
  value: unknown,
  location: TypedLocation,
  findings: Findings,
): Json | undefined {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return asJson(value);
  if (schema.items !== undefined) return decodeList(schema.items, value, location, findings);
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object')
    return decodeMap(additionalProperties, value, location, findings);
  if (schema.type === 'object') {
    if (isObject(value)) return decodeStruct(schema, value, location, findings);
    findings.failures.push(typeError(value, location));
    return undefined;
  }
  const scalar = decodeScalar(schema, value, location);
  if (scalar.kind === 'decoded') return scalar.value;
  findings.failures.push(scalar.message);
  return undefined;
}

function decodeList(
  items: StructuralSchema,
  value: unknown,
  location: TypedLocation,
  findings: Findings,
): Json | undefined {
  if (!Array.isArray(value)) {
    findings.failures.push(typeError(value, location));
    return undefined;
  }
  const type = goTypeOf(items);
  const list: Json[] = [];
  let isSame = true;
  const isKept = location.goPath === 'metadata.managedFields';
  for (const [index, item] of value.entries() as Iterable<[number, unknown]>) {
    const path = `${location.path}[${index}]`;
    const isKnown = isKept && isKnownUnchanged(item, items);
    const decoded = isKnown ? asJson(item) : decodeItem(items, item, { ...location, type, path }, findings);
    if (isKept && !isKnown && decoded === item) remember(item, items);
    if (decoded === undefined || decoded !== item) isSame = false;
    if (decoded !== undefined) list.push(decoded);
  }
  return isSame ? asJson(value) : list;
}

function decodeMap(
  values: StructuralSchema,
  value: unknown,
  location: TypedLocation,
  findings: Findings,
): Json | undefined {
  if (!isObject(value)) {
    findings.failures.push(typeError(value, location));
    return undefined;
  }
  if (isPlainText(values) && hasOnlyTexts(value)) return value;
  const type = goTypeOf(values);
  const entries: [string, Json][] = [];
  let isSame = true;
  for (const key of Object.keys(value)) {
    const at = { ...location, type, path: dotted(location.path, key) };
    const decoded = decodeItem(values, own(value, key), at, findings);
    if (decoded === undefined || decoded !== own(value, key)) isSame = false;
    if (decoded !== undefined) entries.push([key, decoded]);
  }
  return isSame ? asJson(value) : Object.fromEntries(entries);
}

/** Strings that need no decoding. A map may hold very many, nearly always all valid. */
function isPlainText({ type, format }: StructuralSchema): boolean {
  return type === 'string' && format === undefined;
}

function hasOnlyTexts(value: {
  readonly [key: string]: unknown;
}): value is { readonly [key: string]: string } {
  for (const key of Object.keys(value)) {
    const text = value[key];
    if (typeof text !== 'string' || hasSurrogate(text)) return false;
  }
  return true;
}

/** In a list or map, null is the zero value of the type. */
function decodeItem(
  schema: StructuralSchema,
  value: unknown,
  location: TypedLocation,
  findings: Findings,
): Json | undefined {
  if (value !== null && value !== undefined) return decodeValue(schema, value, location, findings);
  if (schema.type === 'object' && schema.properties !== undefined) {
    return decodeStruct(schema, {}, location, findings);
  }
  return zeroOf(schema) ?? (schema.items === undefined ? {} : []);
}

function zeroWithoutOmitempty(schema: StructuralSchema, isRequired: boolean): Json | undefined {
  if (schema.default !== undefined) return undefined;
  if (schema.nullable === true) return null;
  // An unset list, map or pointer is null; where the schema forbids null, defaulting removes it.
  return isRequired ? (zeroOf(schema) ?? null) : undefined;
}

/** The zero value of a scalar. */
function zeroOf(schema: StructuralSchema): Json | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return 0;
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? null : '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case undefined:
      return '0';
    default:
      return undefined;
  }
}

/** Whether Go's `omitempty` omits the value. Structs and IntOrString values are never omitted. */
function isEmpty(schema: StructuralSchema, value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return schema.additionalProperties !== undefined && Object.keys(value).length === 0;
  if (schema['x-kubernetes-int-or-string'] === true) return false;
  return value === '' || value === 0 || value === false;
}

/** The server sets the creation time of objects; in templates Go writes null. */
function isCreationTime(location: Location, key: string): boolean {
  return location.path === 'metadata' && key === 'creationTimestamp';
}

function dotted(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}

/** Objects come from a JSON parser; values without a schema are not examined. */
function asJson(value: unknown): Json {
  return value as Json;
}
