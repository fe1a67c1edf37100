/**
 * The default strategy of built-in kinds; the strategy of each kind overrides parts of it.
 *
 *     export const leaseStrategy = builtinStrategy({ of: lease, allowsCreateOnUpdate: true });
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
  /** The kind. */
  readonly of: AnyBody;
  /** Runs before the defaults of the schema are set. */
  readonly beforeSchemaDefaults?: (object: JsonObject) => JsonObject;
  /** Runs after the defaults of the schema are set: for defaults that depend on other fields. */
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
    // Given an object, `applyDefaults` returns an object.
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

/** A name check that also works for a generateName prefix. */
export function nameValidator(check: (name: string) => readonly string[]): Strategy['validateName'] {
  const ofPrefix = asPrefix(check);
  return (name, isPrefix) => (isPrefix ? ofPrefix(name) : check(name));
}

export type StatusSubresourceOptions = {
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly Problem[];
  /** Fields of the metadata that cannot be changed through the status subresource. */
  readonly keptMetadata?: readonly string[];
};

/** The status subresource: only the status and the metadata are taken from the request. */
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
