/** Validation of access reviews. */

import type { Problem } from '../../base/errors.ts';
import { isObject, type JsonObject, own } from '../../base/json.ts';
import { type Fields, objectAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { objectMetaText } from './object-meta-text.ts';
import { clientMetadata } from './review.ts';
import { selectorProblems } from './review-selectors.ts';

/** The kinds: self, subject, and local (within a namespace). */
export type ReviewScope =
  | { readonly kind: 'self' }
  | { readonly kind: 'subject' }
  | { readonly kind: 'local'; readonly namespace: string };

/** In the order of kube-apiserver. */
export function accessReviewProblems(review: JsonObject, scope: ReviewScope): readonly Problem[] {
  const spec = objectAt(review, 'spec') ?? {};
  return [
    ...questionProblems(spec),
    ...(scope.kind === 'self' ? [] : subjectProblems(spec)),
    ...selectorProblems(objectAt(spec, 'resourceAttributes') ?? {}),
    ...metadataProblems(review, scope),
    ...(scope.kind === 'local' ? localProblems(spec, scope.namespace) : []),
  ];
}

function questionProblems(spec: Fields): readonly Problem[] {
  const [resource, path] = [own(spec, 'resourceAttributes'), own(spec, 'nonResourceAttributes')];
  if (isObject(resource) && isObject(path)) {
    const message = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', pathText(path), message)];
  }
  if (isObject(resource) || isObject(path)) return [];
  const message = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', '"null"', message)];
}

function subjectProblems(spec: Fields): readonly Problem[] {
  if (stringAt(spec, 'user') !== '' || stringsAt(spec, 'groups').length > 0) return [];
  return [invalid('spec.user', '""', 'at least one of user or group must be specified')];
}

/** Reviews are not stored, so metadata would be lost silently. */
function metadataProblems(review: JsonObject, scope: ReviewScope): readonly Problem[] {
  const { managedFields: _managedFields, ...rest } = clientMetadata(review);
  if (Object.values(rest).every(isZero)) return [];
  if (scope.kind !== 'local') return [invalid('metadata', objectMetaText(rest), 'must be empty')];
  const shown = objectMetaText({ ...rest, namespace: scope.namespace });
  return [invalid('metadata', shown, 'must be empty except for namespace')];
}

function localProblems(spec: Fields, namespace: string): readonly Problem[] {
  const asked = own(spec, 'resourceAttributes');
  const path = own(spec, 'nonResourceAttributes');
  const place = isObject(asked) ? stringAt(asked, 'namespace') : namespace;
  return [
    ...(place === namespace
      ? []
      : [invalid('spec.resourceAttributes.namespace', quoted(place), 'must match metadata.namespace')]),
    ...(isObject(path)
      ? [invalid('spec.nonResourceAttributes', pathText(path), 'disallowed on this kind of request')]
      : []),
  ];
}

/** As Go prints the struct. */
function pathText(asked: Fields): string {
  const [path, verb] = [stringAt(asked, 'path'), stringAt(asked, 'verb')];
  return `authorization.NonResourceAttributes{Path:${quoted(path)}, Verb:${quoted(verb)}}`;
}

function invalid(path: string, shown: string, message: string): Problem {
  return { path, message: `Invalid value: ${shown}: ${message}`, reason: 'FieldValueInvalid' };
}

/** The zero value of the Go struct. */
function isZero(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
