/**
 * What a kind does differently from others when its objects are written, after kube-apiserver's REST strategies.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';

/**
 * In the order of a write: decode → default → prepare → validate. All functions are pure and never change their input.
 */
export type Strategy = {
  /** Problems with a name, as messages. `isPrefix`: the name is a generateName, which may end in a dash. */
  readonly validateName: (name: string, isPrefix: boolean) => readonly string[];
  /** Whether an update may omit the resourceVersion. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether an update of a missing object creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** Decodes what a client sent, and drops unknown fields. */
  readonly decode: (sent: JsonObject) => Decoded;
  /** Sets defaults, including those that depend on other fields. Runs on everything that a client sends. */
  readonly setDefaults: (object: JsonObject) => JsonObject;
  /**
   * Sets defaults on the result of server-side apply; absent: the result is decoded and defaulted like a sent object.
   */
  readonly setDefaultsAfterApply?: (merged: JsonObject) => JsonObject;
  /** Sets what the server decides about a new object: generation, initial status, dropped fields. */
  readonly prepareForCreate: (object: JsonObject, context: WriteContext) => JsonObject;
  /**
   * The same for an update of the main resource: restores the old status, increments the generation when the spec
   * changes.
   */
  readonly prepareForUpdate: (object: JsonObject, old: JsonObject, context: WriteContext) => JsonObject;
  /**
   * Checks for conflicts with the other objects of the resource, such as an allocated port. Runs before the other
   * validation, which is skipped if it finds any. `others` are all stored objects, including the old version of this
   * one. Absent: objects are independent.
   */
  readonly validateAgainstOthers?: (
    object: JsonObject,
    old: JsonObject | undefined,
    others: Iterable<JsonObject>,
  ) => readonly Problem[];
  /** All problems except for those of the metadata, which are the same for all kinds. */
  readonly validateCreate: (object: JsonObject) => readonly Problem[];
  readonly validateUpdate: (object: JsonObject, old: JsonObject) => readonly Problem[];
  /** Warnings for the client of a request that succeeds. */
  readonly warnings: (object: JsonObject, old: JsonObject | undefined) => readonly string[];
  /** Subresources that write the object itself, such as `status`. */
  readonly subresources: { readonly [name: string]: SubresourceStrategy };
  /** Paths that an update of the main resource resets; writing them does not give ownership. */
  readonly resetFields: readonly (readonly string[])[];
  /** The grace period of a deletion; absent: objects are deleted immediately. */
  readonly gracePeriodSeconds?: (object: JsonObject, requested: number | undefined) => number;
  /** Converts a stored object to the current version and schema; absent: it is returned as stored. */
  readonly convertStored?: (stored: JsonObject) => JsonObject;
};

export type SubresourceStrategy = {
  /** Takes the writable part from the new object and the rest from the old one. */
  readonly prepareForUpdate: (object: JsonObject, old: JsonObject, context: WriteContext) => JsonObject;
  readonly validateUpdate: (object: JsonObject, old: JsonObject) => readonly Problem[];
  readonly resetFields: readonly (readonly string[])[];
};

/**
 * The object without unknown fields and the paths of these (`spec.sise`) in the server's order, or the message of the
 * decoder.
 */
export type Decoded =
  | { readonly kind: 'decoded'; readonly object: JsonObject; readonly unknownFields: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

export type WriteContext = {
  /** RFC 3339, in whole seconds. */
  readonly now: string;
  /** In [0, 1); deterministic for a seed. */
  readonly random: () => number;
  /** The other objects of the resource, for values that must be unique, such as cluster IPs. */
  readonly others: () => Iterable<JsonObject>;
};
