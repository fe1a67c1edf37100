/**
 * What a kind does differently from others when its objects are written, after kube-apiserver's REST strategies.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';

/**
 * What is done with objects of a resource, in the order in which a write goes through it:
 * decode → defaults → prepare → check. All are pure; objects are never changed in place.
 */
export type Strategy = {
  /** What is wrong with a name, as texts. `isPrefix`: it is a generateName, which may end in a dash. */
  readonly validateName: (name: string, isPrefix: boolean) => readonly string[];
  /** Whether an update may come without a resourceVersion. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether an update of an object that is not there creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** What a client sent, as far as the kind knows it. */
  readonly decode: (sent: JsonObject) => Decoded;
  /** Fills in what was left out, also what depends on other fields. Runs whenever a client has sent something. */
  readonly setDefaults: (object: JsonObject) => JsonObject;
  /** The same for what server-side apply has merged; absent: it is decoded and filled in as if it had been sent. */
  readonly setDefaultsAfterApply?: (merged: JsonObject) => JsonObject;
  /** What the server decides when an object is made: its first generation and status, what is taken away. */
  readonly prepareForCreate: (object: JsonObject, context: WriteContext) => JsonObject;
  /** The same for an update by the main door: the old status is put back, the generation moves with the spec. */
  readonly prepareForUpdate: (object: JsonObject, old: JsonObject, context: WriteContext) => JsonObject;
  /**
   * What the object cannot have beside the others of the resource, such as a port that is taken. It is asked first of
   * all checks, and what it finds is told alone. `others` are all that are kept, the object as it was among them.
   * Absent: nothing is shared.
   */
  readonly validateAgainstOthers?: (
    object: JsonObject,
    old: JsonObject | undefined,
    others: Iterable<JsonObject>,
  ) => readonly Problem[];
  /** All that is wrong beside the metadata, which is checked for all kinds alike. */
  readonly validateCreate: (object: JsonObject) => readonly Problem[];
  readonly validateUpdate: (object: JsonObject, old: JsonObject) => readonly Problem[];
  /** What the client should know though nothing is refused. */
  readonly warnings: (object: JsonObject, old: JsonObject | undefined) => readonly string[];
  /** Doors through which the object itself is written, such as `status`. */
  readonly subresources: { readonly [name: string]: SubresourceStrategy };
  /** Paths that the main door puts back; writing them there gives no ownership. */
  readonly resetFields: readonly (readonly string[])[];
  /** How long the object may take to end, in seconds; absent where deletion is at once. */
  readonly gracePeriodSeconds?: (object: JsonObject, asked: number | undefined) => number;
  /** What an object that was kept looks like now, where definitions may have changed since; absent: the same. */
  readonly convertStored?: (stored: JsonObject) => JsonObject;
};

export type SubresourceStrategy = {
  /** What is left of the old object, and what is taken from the new one. */
  readonly prepareForUpdate: (object: JsonObject, old: JsonObject, context: WriteContext) => JsonObject;
  readonly validateUpdate: (object: JsonObject, old: JsonObject) => readonly Problem[];
  readonly resetFields: readonly (readonly string[])[];
};

/**
 * The object without what its kind does not know, and the paths of that (`spec.sise`) in the server's order; or
 * why it is no object of the kind at all, in the words of the decoder.
 */
export type Decoded =
  | { readonly kind: 'decoded'; readonly object: JsonObject; readonly unknownFields: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string };

export type WriteContext = {
  /** RFC 3339, in whole seconds. */
  readonly now: string;
  /** At least 0 and below 1; the same sequence for the same seed. */
  readonly random: () => number;
  /** The other objects of the resource; only for what must be unique among them, such as addresses. */
  readonly others: () => Iterable<JsonObject>;
};
