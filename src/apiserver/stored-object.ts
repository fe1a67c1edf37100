/**
 * How an object is kept: the bytes of its JSON without kind, version and resourceVersion.
 *
 * `metadata` comes first, so that what a reader wants to see in front of it can be put there without parsing: lists
 * of thousands of objects are made by joining bytes.
 */
import type { Json, JsonObject } from '../json.ts';

export type Metadata = {
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
export function encodeObject({ apiVersion: _, kind: __, metadata, ...rest }: JsonObject): Uint8Array {
  const { resourceVersion: ___, ...kept } = (metadata ?? {}) as JsonObject;
  return encoder.encode(JSON.stringify({ metadata: kept, ...rest }));
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
  return { name: '', ...(object.metadata as Partial<Metadata> | undefined) };
}

/** The object with some of its metadata changed; `undefined` takes a field away. */
export function withMetadata(object: JsonObject, changes: { readonly [name: string]: unknown }): JsonObject {
  const entries = Object.entries({ ...(object.metadata as JsonObject | undefined), ...changes });
  const metadata = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  // Callers give JSON.
  return { ...object, metadata: metadata as JsonObject };
}
