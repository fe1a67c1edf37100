/**
 * Migration from `kubectl apply` to `kubectl apply --server-side`: the fields in the last-applied annotation count as
 * owned by the manager `kubectl`, and the annotation is updated for clients that go back.
 */

import { byteLength, isJsonObject, type JsonObject, own, parseJson } from '../../base/json.ts';
import { objectAt, stringAt } from '../../base/json-fields.ts';
import { differenceOf, type FieldSet } from './field-set.ts';
import { goJson, traversalError } from './json-values.ts';
import { withEntries } from './managed-fields.ts';
import type { OwnershipContext } from './ownership.ts';
import { compareTyped } from './typed-compare.ts';
import { fieldsOf } from './typed-fields.ts';
import { typedProblem } from './typed-validate.ts';

/** The manager that this applies to. */
export const KUBECTL = 'kubectl';
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** The limit of keys and values of all annotations. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The fields that were applied from the client side and are unchanged since; undefined without the annotation. */
export function lastAppliedFields(
  { shape, apiVersion }: OwnershipContext,
  live: JsonObject,
): FieldSet | undefined {
  const applied = parsed(stringAt(live, 'metadata', 'annotations', ANNOTATION));
  if (applied === undefined || stringAt(applied, 'apiVersion') !== apiVersion) return undefined;
  const withoutManagers = withEntries(live, undefined);
  const options = { allowsDuplicates: false };
  if ([withoutManagers, applied].some((object) => typedProblem(shape, object, options) !== undefined))
    return undefined;
  const { modified, added, removed } = compareTyped(shape, { before: applied, after: withoutManagers });
  return [modified, added, removed].reduce(differenceOf, fieldsOf(shape, applied));
}

/** The object with the annotation updated, if it has one. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  if (stringAt(object, 'metadata', 'annotations', ANNOTATION) === '') return object;
  const text = `${goJson(withoutAnnotation(applied))}\n`;
  const updated = changeAnnotations(object, (annotations) => ({ ...annotations, [ANNOTATION]: text }));
  const size = Object.entries(objectAt(updated, 'metadata', 'annotations') ?? {})
    .map(([key, value]) => byteLength(key) + byteLength(String(value)))
    .reduce((sum, bytes) => sum + bytes, 0);
  return size > MAX_ANNOTATIONS_BYTES ? withoutAnnotation(object) : updated;
}

function withoutAnnotation(object: JsonObject): JsonObject {
  return changeAnnotations(object, ({ [ANNOTATION]: _, ...others }) => others);
}

function changeAnnotations(object: JsonObject, change: (annotations: JsonObject) => JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (!isJsonObject(metadata) || annotations === undefined) return object;
  return { ...object, metadata: { ...metadata, annotations: change(annotations) } };
}

function parsed(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) && traversalError('the annotation', value) === undefined ? value : undefined;
}
