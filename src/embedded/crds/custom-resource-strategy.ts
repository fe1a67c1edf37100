/**
 * The strategy of custom resources.
 */

import { formatProblem, type Problem } from '../../base/errors.ts';
import { compareBytes, type JsonObject, jsonEqual } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { checkDnsSubdomain, checkQualifiedName } from '../../kubernetes/meta/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { applyDefaults, prune, validate, validateStatus } from '../../kubernetes/validation/index.ts';
import {
  type Decoded,
  generationOf,
  invalidText,
  metadataOf,
  nameValidator,
  STANDARD_FINALIZERS,
  type Strategy,
  withFieldOf,
  withGeneration,
  without,
} from '../resources/index.ts';
import type { ScalePaths } from './crd.ts';
import { decodeEmbeddedMetadata, decodeObjectMetadata, embeddedMetadataProblems } from './object-metadata.ts';
import { scaleSpecProblems, scaleStatusProblems } from './scale.ts';

export type CustomKind = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructuralSchema;
  readonly hasStatusSubresource: boolean;
  readonly scale: ScalePaths | undefined;
};

export function customResourceStrategy(of: CustomKind): Strategy {
  const { schema, hasStatusSubresource } = of;
  const statusFields = hasStatusSubresource ? [['status']] : [];
  return {
    validateName: nameValidator(checkDnsSubdomain),
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    decode: (sent) => decode(schema, sent),
    setDefaults: (object) => withDefaults(schema, object),
    // Fields that no manager owns any more are null then, and rejected unless nullable.
    setDefaultsAfterApply: (merged) => applyDefaults(schema, merged, { keepsNulls: true }) as JsonObject,
    prepareForCreate: (object) =>
      withGeneration(hasStatusSubresource ? without(object, 'status') : object, 1),
    prepareForUpdate: (object, old) => {
      const prepared = hasStatusSubresource ? withFieldOf(object, old, 'status') : object;
      const hasChanged = !jsonEqual(without(prepared, 'metadata'), without(old, 'metadata'));
      return withGeneration(prepared, generationOf(old) + (hasChanged ? 1 : 0));
    },
    validateCreate: (object) => objectProblems(of, object, () => validate(schema, object)),
    validateUpdate: (object, old) => objectProblems(of, object, () => validate(schema, object, { old })),
    warnings: finalizerWarnings,
    subresources: hasStatusSubresource ? { status: statusSubresource(of) } : {},
    resetFields: statusFields,
    convertStored: (stored) => withDefaults(schema, convertToVersion(of, stored)),
  };
}

/** Converts an object of any version: `apiVersion` is replaced and unknown fields are pruned. */
export function convertToVersion({ apiVersion, schema }: CustomKind, object: JsonObject): JsonObject {
  const renamed = object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  // Given an object, `prune` returns an object.
  return prune(schema, renamed).value as JsonObject;
}

/** Unknown fields of the metadata are listed first. */
function decode(schema: StructuralSchema, sent: JsonObject): Decoded {
  const metadata = decodeObjectMetadata(sent);
  if (metadata.kind === 'failed') return metadata;
  const pruned = prune(schema, metadata.object);
  // Pruning returns an object, as above.
  const embedded = decodeEmbeddedMetadata(schema, pruned.value as JsonObject);
  if (embedded.kind === 'failed') return embedded;
  const unknownFields = [...metadata.unknownFields, ...pruned.unknownFields, ...embedded.unknownFields];
  return { ...embedded, unknownFields };
}

function withDefaults(schema: StructuralSchema, object: JsonObject): JsonObject {
  return applyDefaults(schema, object) as JsonObject;
}

/** An object of the wrong kind is not validated any further. */
function objectProblems(
  of: CustomKind,
  object: JsonObject,
  check: () => readonly Problem[],
): readonly Problem[] {
  const typeErrors = typeProblems(of, object);
  if (typeErrors.length > 0) return typeErrors;
  const { schema, scale } = of;
  return [
    ...check(),
    ...embeddedMetadataProblems(schema, object),
    ...(scale === undefined ? [] : scaleSpecProblems(object, scale)),
    ...(scale === undefined ? [] : scaleStatusProblems(object, scale)),
  ];
}

function typeProblems({ apiVersion, kind }: CustomKind, object: JsonObject): readonly Problem[] {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return [
    ...(object.kind === kind ? [] : [invalidText('kind', text(object.kind), `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion
      ? []
      : [invalidText('apiVersion', text(object.apiVersion), `must be ${apiVersion}`)]),
  ];
}

/** The status subresource takes no metadata but `managedFields`, not even labels. */
function statusSubresource(of: CustomKind): Strategy['subresources'][string] {
  return {
    prepareForUpdate: (object, old) => {
      const { managedFields } = metadataOf(object);
      const kept = without(metadataOf(old), 'managedFields');
      const metadata = managedFields === undefined ? kept : { ...kept, managedFields };
      return withFieldOf({ ...old, metadata }, object, 'status');
    },
    validateUpdate: (object, old) => {
      const typeErrors = typeProblems(of, object);
      if (typeErrors.length > 0) return typeErrors;
      const problems = validateStatus(of.schema, object, old);
      return of.scale === undefined ? problems : [...problems, ...scaleStatusProblems(object, of.scale)];
    },
    resetFields: [['spec']],
  };
}

/** Warns of finalizers without a domain. */
function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const before = new Set(old === undefined ? [] : finalizersOf(old));
  const added = [...new Set(finalizersOf(object))].filter((finalizer) => !before.has(finalizer));
  return added.sort(compareBytes).flatMap((finalizer) => {
    const warn = (message: string): string =>
      formatProblem({ path: 'metadata.finalizers', message: `${quoted(finalizer)}: ${message}` });
    const messages = checkQualifiedName(finalizer).map(warn);
    if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return messages;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...messages, warn(advice)];
  });
}

function finalizersOf(object: JsonObject): readonly string[] {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) ? finalizers.filter((one) => typeof one === 'string') : [];
}
