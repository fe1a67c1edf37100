/**
 * Selectors of jobs: generated from the job's name and UID, unless `manualSelector` is set.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt, stringMapAt, valueAt } from '../../../base/json-fields.ts';
import { matchesSelector } from '../../../kubernetes/meta/index.ts';
import { goLabelSelector, goStringMap } from '../decoding/go-format.ts';
import { invalid, required } from '../field-problems.ts';
import { withValueAt } from '../object-edits.ts';
import { isValidSelector } from './label-selector.ts';

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** The labels of every pod of the job, legacy names first. */
function ownLabels(object: JsonObject): readonly (readonly [string, string])[] {
  const uid = stringAt(object, 'metadata', 'uid');
  const name = stringAt(object, 'metadata', 'name');
  return [
    ['controller-uid', uid],
    ['job-name', name],
    [CONTROLLER_UID, uid],
    ['batch.kubernetes.io/job-name', name],
  ];
}

/** Existing labels are kept; validation checks whether they match. */
export function withGeneratedSelector(object: JsonObject): JsonObject {
  if (isManual(object)) return object;
  const labels = stringMapAt(object, ...TEMPLATE_LABELS);
  const matchLabels = stringMapAt(object, ...MATCH_LABELS);
  const uid = stringAt(object, 'metadata', 'uid');
  const labelled = withValueAt(object, TEMPLATE_LABELS, {
    ...Object.fromEntries(ownLabels(object)),
    ...labels,
  });
  return withValueAt(labelled, MATCH_LABELS, { [CONTROLLER_UID]: uid, ...matchLabels });
}

/** A job without labels gets those of its template. */
export function withLabelsOfTemplate(object: JsonObject): JsonObject {
  const labels = stringMapAt(object, ...TEMPLATE_LABELS);
  const given = stringMapAt(object, 'metadata', 'labels');
  if (Object.keys(given).length > 0 || Object.keys(labels).length === 0) return object;
  return withValueAt(object, ['metadata', 'labels'], labels);
}

/** Without `manualSelector`, the selector and its labels must be the generated ones. */
export function generatedSelectorProblems(object: JsonObject): readonly Problem[] {
  const selector = objectAt(object, 'spec', 'selector');
  if (isManual(object) || selector === undefined) return [];
  const labels = stringMapAt(object, ...TEMPLATE_LABELS);
  const expected = Object.fromEntries(ownLabels(object));
  const isOurs = !isValidSelector(selector) || matchesSelector(selector, expected);
  return [
    ...ownLabels(object).flatMap(([key, value]) => labelProblems(labels, key, value)),
    ...(isOurs ? [] : [invalid('spec.selector', goLabelSelector(selector), '`selector` not auto-generated')]),
  ];
}

function labelProblems(
  labels: { readonly [key: string]: string },
  key: string,
  value: string,
): readonly Problem[] {
  if (Object.hasOwn(labels, key) && labels[key] === value) return [];
  const path = `spec.template.metadata.labels[${key}]`;
  if (!Object.hasOwn(labels, key)) return [required(path, `must be '${value}'`)];
  return [invalid(path, goStringMap(labels), `must be '${value}'`)];
}

function isManual(object: JsonObject): boolean {
  return valueAt(object, 'spec', 'manualSelector') === true;
}

const TEMPLATE_LABELS = ['spec', 'template', 'metadata', 'labels'];
const MATCH_LABELS = ['spec', 'selector', 'matchLabels'];
