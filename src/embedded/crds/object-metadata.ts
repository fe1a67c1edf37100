/**
 * Metadata of custom resources. It is not part of the schema: kube-apiserver decodes it into a Go struct, for the
 * object itself and for every embedded resource.
 */

import { type Problem, within } from '../../base/errors.ts';
import { compareBytes, isJsonObject, isObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { objectMeta } from '../../kubernetes/types/index.ts';
import { holdsResources } from '../../kubernetes/validation/index.ts';
import {
  type Decoded,
  decodeBuiltin,
  type ObjectMetaResource,
  objectMetaProblems,
} from '../resources/index.ts';

const decodeMetadata = decodeBuiltin(objectMeta);

/** The object with decoded metadata; paths of unknown fields start at the root. */
export function decodeObjectMetadata(object: JsonObject): Decoded {
  if (object.metadata === undefined) return { kind: 'decoded', object, unknownFields: [] };
  const decoded = readMetadata(object.metadata, 'metadata');
  if (decoded.kind === 'failed') return decoded;
  return { ...decoded, object: { ...object, metadata: decoded.object } };
}

function readMetadata(metadata: Json, path: string): Decoded {
  if (metadata !== null && !isObject(metadata)) {
    const message = `json: cannot unmarshal ${jsonType(metadata)} into Go value of type v1.ObjectMeta`;
    return { kind: 'failed', message };
  }
  const decoded = decodeSorted(metadata ?? {});
  if (decoded.kind === 'failed') return decoded;
  return {
    kind: 'decoded',
    object: withoutNulls(decoded.object),
    unknownFields: decoded.unknownFields.map((field) => `${path}.${field}`),
  };
}

/**
 * kube-apiserver has serialized it again by then, with sorted keys. In `managedFields`, which is the largest part of many
 * objects and nearly always their own from before, the order only matters where something is wrong.
 */
function decodeSorted(metadata: Json): Decoded {
  const { managedFields, ...rest } = isJsonObject(metadata) ? metadata : {};
  const sorted = sortedKeys(rest);
  if (managedFields === undefined) return decodeMetadata(sorted);
  const decoded = decodeMetadata({ ...sorted, managedFields });
  const isRight = decoded.kind === 'decoded' && decoded.unknownFields.length === 0;
  return isRight ? decoded : decodeMetadata(sortedKeys(metadata));
}

/**
 * Decodes the metadata of embedded resources. Unknown fields are dropped and listed; a wrong type fails the decoding
 * with a problem of that field.
 */
export function decodeEmbeddedMetadata(schema: StructuralSchema, object: JsonObject): Decoded {
  if (!holdsResources(schema)) return { kind: 'decoded', object, unknownFields: [] };
  const findings: Findings = { unknownFields: [], failures: [] };
  // The root is an object and stays one.
  const coerced = coerce(schema, object, { path: '', isRoot: true }, findings) as JsonObject;
  const [message] = findings.failures;
  if (message !== undefined) return { kind: 'failed', message };
  return { kind: 'decoded', object: coerced, unknownFields: findings.unknownFields.sort(compareBytes) };
}

type Findings = { readonly unknownFields: string[]; readonly failures: string[] };
type Location = { readonly path: string; readonly isRoot: boolean };

function coerce(schema: StructuralSchema, value: Json, { path, isRoot }: Location, findings: Findings): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const list = value.map((item: Json, index) =>
      coerce(items, item, { path: `${path}[${index}]`, isRoot: false }, findings),
    );
    return list.some((item, index) => item !== value[index]) ? list : value;
  }
  if (!isJsonObject(value)) return value;
  const isResource = schema['x-kubernetes-embedded-resource'] === true && !isRoot;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    if (isResource && META_FIELDS.has(key)) return [key, coerceMeta(key, item, path, findings)];
    const child = childOf(schema, key, path);
    if (child === undefined) return [key, item];
    return [key, coerce(child.schema, item, { path: child.path, isRoot: false }, findings)];
  });
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}

function childOf(
  { properties = {}, additionalProperties }: StructuralSchema,
  key: string,
  path: string,
): { readonly schema: StructuralSchema; readonly path: string } | undefined {
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (property !== undefined) return { schema: property, path: dotted(path, key) };
  return isObject(additionalProperties)
    ? { schema: additionalProperties, path: `${path}[${key}]` }
    : undefined;
}

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function coerceMeta(key: string, value: Json, path: string, findings: Findings): Json {
  const at = dotted(path, key);
  const reject = (detail: string): void => {
    findings.failures.push(`${at}: Invalid value: ${shown(value)}: ${detail}`);
  };
  if (key !== 'metadata') {
    if (typeof value !== 'string') reject('must be a string');
    return value;
  }
  const decoded = readMetadata(value, at);
  if (decoded.kind === 'failed') {
    reject(decoded.message);
    return value;
  }
  for (const field of decoded.unknownFields) findings.unknownFields.push(field);
  return decoded.object;
}

/** Problems with the metadata of embedded resources, whose names are optional. */
export function embeddedMetadataProblems(schema: StructuralSchema, object: JsonObject): readonly Problem[] {
  if (!holdsResources(schema)) return [];
  return problemsBelow(schema, object, { path: '', isRoot: true });
}

function problemsBelow(
  schema: StructuralSchema,
  value: Json,
  { path, isRoot }: Location,
): readonly Problem[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item: Json, index) =>
      problemsBelow(items, item, { path: `${path}[${index}]`, isRoot: false }),
    );
  }
  if (!isJsonObject(value)) return [];
  const isResource = schema['x-kubernetes-embedded-resource'] === true && !isRoot;
  const own = isResource
    ? objectMetaProblems(named(value), metaResourceOf(value)).map((problem) => within(path, problem))
    : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, item]) => {
      const child = childOf(schema, key, path);
      return child === undefined
        ? []
        : problemsBelow(child.schema, item, { path: child.path, isRoot: false });
    }),
  ];
}

/** The name of an embedded resource is optional. */
function named(resource: JsonObject): JsonObject {
  const metadata = isObject(resource.metadata) ? (resource.metadata as JsonObject) : {};
  return metadata.name === undefined ? { metadata: { ...metadata, name: 'unnamed' } } : { metadata };
}

/** Its kind is unknown, so its name only has to be a path segment, and the namespace is optional. */
function metaResourceOf({ metadata }: JsonObject): ObjectMetaResource {
  const isNamespaced =
    isObject(metadata) && typeof metadata.namespace === 'string' && metadata.namespace !== '';
  const validateName = (name: string): readonly string[] => {
    if (name === '.' || name === '..') return [`may not be '${name}'`];
    return ['/', '%'].filter((mark) => name.includes(mark)).map((mark) => `may not contain '${mark}'`);
  };
  const scope = isNamespaced ? 'Namespaced' : 'Cluster';
  return { plural: '', group: '', origin: 'custom', scope, strategy: { validateName } };
}

function sortedKeys(metadata: Json): JsonObject {
  const sort = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(sort);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value)
        .sort(compareBytes)
        .map((key): [string, Json] => [key, sort(value[key] ?? null)]),
    );
  };
  return isJsonObject(metadata) ? (sort(metadata) as JsonObject) : {};
}

/** A missing time is not written as null. */
function withoutNulls(metadata: JsonObject): JsonObject {
  if (!Object.values(metadata).includes(null)) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

function dotted(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
