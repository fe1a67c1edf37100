/**
 * The stored form of an object: its JSON without kind, version and resourceVersion.
 *
 * `metadata` comes first, so that those fields can be inserted without parsing: large lists are made by joining
 * bytes.
 */
import { type Json, type JsonObject, own } from '../../../base/json.ts';

type Metadata = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly generateName?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly Json[];
};

const START = '{"metadata":{';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Every stored object has a name. */
export function encodeObject(object: JsonObject): Uint8Array {
  const metadata = { ...(object.metadata as JsonObject | undefined), resourceVersion: undefined };
  const kept: { [name: string]: unknown } = { metadata, ...object };
  // Undefined fields are not written. Copying an object is much faster than removing fields.
  kept.metadata = metadata;
  kept.apiVersion = undefined;
  kept.kind = undefined;
  return encoder.encode(JSON.stringify(kept));
}

/** The decoded object with kind, version and resourceVersion. */
export function decodeObject(
  value: Uint8Array,
  revision: number,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  // The store only contains our own bytes.
  const { metadata, ...rest } = JSON.parse(decoder.decode(value)) as JsonObject;
  return {
    kind,
    apiVersion,
    metadata: { ...(metadata as JsonObject), resourceVersion: String(revision) },
    ...rest,
  };
}

/** What `decodeObject` will return once the object is written. */
export function asDecoded(
  object: JsonObject,
  revision: number,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  const metadata = { ...(object.metadata as JsonObject | undefined), resourceVersion: String(revision) };
  return { ...object, kind, apiVersion, metadata };
}

/**
 * The same without parsing: the text of the beginning, and the bytes after it. `prefix` precedes the metadata:
 * `"kind":"Pod","apiVersion":"v1",`.
 */
export function storedParts(
  { value, revision }: { readonly value: Uint8Array; readonly revision: number },
  prefix: string,
): { readonly head: string; readonly rest: Uint8Array } {
  const head = `{${prefix}"metadata":{"resourceVersion":"${revision}",`;
  return { head, rest: value.subarray(START.length) };
}

/** Safe for objects from clients: a missing name is empty. */
export function metadataOf(object: JsonObject): Metadata {
  const metadata = object.metadata as Partial<Metadata> | undefined;
  return hasName(metadata) ? metadata : { name: '', ...metadata };
}

function hasName(metadata: Partial<Metadata> | undefined): metadata is Metadata {
  return metadata?.name !== undefined;
}

/** `undefined` removes a field. */
export function withMetadata(object: JsonObject, changes: { readonly [name: string]: unknown }): JsonObject {
  const before = (object.metadata ?? {}) as { readonly [name: string]: unknown };
  const names = Object.keys(changes).filter((name) => changes[name] !== own(before, name));
  if (names.length === 0 && object.metadata !== undefined) return object;
  const metadata: { [name: string]: unknown } = { ...before };
  for (const name of names) {
    if (changes[name] === undefined) delete metadata[name];
    else metadata[name] = changes[name];
  }
  // Callers pass JSON.
  return { ...object, metadata: metadata as JsonObject };
}
