/**
 * How an object is kept: the bytes of its JSON without kind, version and resourceVersion.
 *
 * `metadata` comes first, so that what a reader wants to see in front of it can be put there without parsing: lists
 * of thousands of objects are made by joining bytes.
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

/** Every object that is kept has a name, so that its metadata is never empty. */
export function encodeObject(object: JsonObject): Uint8Array {
  const metadata = { ...(object.metadata as JsonObject | undefined), resourceVersion: undefined };
  const kept: { [name: string]: unknown } = { metadata, ...object };
  // What is undefined is not written. To copy an object whole is much faster than to leave something out.
  kept.metadata = metadata;
  kept.apiVersion = undefined;
  kept.kind = undefined;
  return encoder.encode(JSON.stringify(kept));
}

/** What a reader sees: with kind and version, and the version of the write. */
export function decodeObject(
  value: Uint8Array,
  revision: number,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  // The bytes are our own.
  const { metadata, ...rest } = JSON.parse(decoder.decode(value)) as JsonObject;
  return {
    kind,
    apiVersion,
    metadata: { ...(metadata as JsonObject), resourceVersion: String(revision) },
    ...rest,
  };
}

/** What `decodeObject` will give of an object, once it is written. */
export function asDecoded(
  object: JsonObject,
  revision: number,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  const metadata = { ...(object.metadata as JsonObject | undefined), resourceVersion: String(revision) };
  return { ...object, kind, apiVersion, metadata };
}

/**
 * The same without parsing: the text that comes first, and the bytes behind it. `prefix` goes in front of the metadata:
 * `"kind":"Pod","apiVersion":"v1",`.
 */
export function storedParts(
  { value, revision }: { readonly value: Uint8Array; readonly revision: number },
  prefix: string,
): { readonly head: string; readonly rest: Uint8Array } {
  const head = `{${prefix}"metadata":{"resourceVersion":"${revision}",`;
  return { head, rest: value.subarray(START.length) };
}

/** Of what a client sent only as much can be relied on as has been checked; a name that is missing is empty. */
export function metadataOf(object: JsonObject): Metadata {
  const metadata = object.metadata as Partial<Metadata> | undefined;
  return hasName(metadata) ? metadata : { name: '', ...metadata };
}

function hasName(metadata: Partial<Metadata> | undefined): metadata is Metadata {
  return metadata?.name !== undefined;
}

/** The object with some of its metadata changed; `undefined` takes a field away. */
export function withMetadata(object: JsonObject, changes: { readonly [name: string]: unknown }): JsonObject {
  const before = (object.metadata ?? {}) as { readonly [name: string]: unknown };
  const names = Object.keys(changes).filter((name) => changes[name] !== own(before, name));
  if (names.length === 0 && object.metadata !== undefined) return object;
  const metadata: { [name: string]: unknown } = { ...before };
  for (const name of names) {
    if (changes[name] === undefined) delete metadata[name];
    else metadata[name] = changes[name];
  }
  // Callers give JSON.
  return { ...object, metadata: metadata as JsonObject };
}
