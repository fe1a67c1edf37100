/**
 * From `kubectl apply` to `kubectl apply --server-side`: the former remembers what it applied in an annotation.
 * For the owner `kubectl` that counts as owned, and the annotation is kept up to date for those who go back.
 */

import { byteLength, isJsonObject, type JsonObject, own, parseJson } from '../../base/json.ts';
import { objectAt, stringAt } from '../../base/json-fields.ts';
import { differenceOf, type FieldSet } from './field-set.ts';
import { goJson, unreadable } from './json-values.ts';
import { withEntries } from './managed-fields.ts';
import type { OwnershipContext } from './ownership.ts';
import { compareTyped } from './typed-compare.ts';
import { fieldsOf } from './typed-fields.ts';
import { typedProblem } from './typed-validate.ts';

/** The owner for which all this is done. */
export const KUBECTL = 'kubectl';
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** Keys and values of all annotations together. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The fields that were applied from the client and have not changed since; nothing where there is no annotation. */
export function lastAppliedFields(
  { shape, apiVersion }: OwnershipContext,
  live: JsonObject,
): FieldSet | undefined {
  const applied = parsed(stringAt(live, 'metadata', 'annotations', ANNOTATION));
  if (applied === undefined || stringAt(applied, 'apiVersion') !== apiVersion) return undefined;
  const bare = withEntries(live, undefined);
  const options = { allowsDuplicates: false };
  if ([bare, applied].some((object) => typedProblem(shape, object, options) !== undefined)) return undefined;
  const { modified, added, removed } = compareTyped(shape, { before: applied, after: bare });
  return [modified, added, removed].reduce(differenceOf, fieldsOf(shape, applied));
}

/** The object with the annotation brought up to date, if it has one. */
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
  return isJsonObject(value) && unreadable('the annotation', value) === undefined ? value : undefined;
}
