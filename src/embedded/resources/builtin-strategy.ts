/**
 * The usual rules, from which those of each kind are made by saying what is different.
 *
 *     export const leaseRules = builtinRules({ of: lease, allowsCreateOnUpdate: true });
 */

import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { asPrefix, checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import type { AnyBody } from '../../kubernetes/types/index.ts';
import { applyDefaults } from '../../kubernetes/validation/index.ts';
import { decodeBuiltin } from './decoding/decode-builtin.ts';
import { metadataOf, withFieldOf } from './object-edits.ts';
import type { Strategy, SubresourceStrategy } from './strategy.ts';

type BuiltinStrategyOptions = Partial<Omit<Strategy, 'decode' | 'setDefaults'>> & {
  /** Whose objects they are. */
  readonly of: AnyBody;
  /** Before those that the schema names. */
  readonly beforeSchemaDefaults?: (object: JsonObject) => JsonObject;
  /** After those that the schema names: what follows from other fields. */
  readonly afterSchemaDefaults?: (object: JsonObject) => JsonObject;
};

export function builtinStrategy({
  of,
  beforeSchemaDefaults,
  afterSchemaDefaults,
  ...partial
}: BuiltinStrategyOptions): Strategy {
  const before = beforeSchemaDefaults ?? unchanged;
  const after = afterSchemaDefaults ?? unchanged;
  return {
    validateName: nameValidator(checkDnsSubdomain),
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    decode: decodeBuiltin(of.schema),
    // Filling in gives back what it was given, which is an object.
    setDefaults: (object) => after(applyDefaults(of.schema, before(object)) as JsonObject),
    prepareForCreate: unchanged,
    prepareForUpdate: unchanged,
    validateCreate: () => [],
    validateUpdate: () => [],
    warnings: () => [],
    subresources: {},
    resetFields: [],
    ...partial,
  };
}

const unchanged = (object: JsonObject): JsonObject => object;

/** A rule for names that also holds for their beginnings. */
export function nameValidator(check: (name: string) => readonly string[]): Strategy['validateName'] {
  const ofPrefix = asPrefix(check);
  return (name, isPrefix) => (isPrefix ? ofPrefix(name) : check(name));
}

export type StatusSubresourceOptions = {
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly Problem[];
  /** Parts of the metadata that this door leaves as they were. */
  readonly keptMetadata?: readonly string[];
};

/** The door for the status: everything but it and the metadata stays as it was. */
export function statusSubresource({
  validateUpdate,
  keptMetadata = [],
}: StatusSubresourceOptions = {}): SubresourceStrategy {
  return {
    prepareForUpdate: (object, old) => ({
      ...old,
      metadata: keptMetadata.reduce(
        (metadata, key) => withFieldOf(metadata, metadataOf(old), key),
        metadataOf(object),
      ),
      status: object.status ?? {},
    }),
    validateUpdate: validateUpdate ?? (() => []),
    resetFields: [['spec'], ...keptMetadata.map((field) => ['metadata', field])],
  };
}
