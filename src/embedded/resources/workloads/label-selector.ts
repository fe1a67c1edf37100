/**
 * Selectors of workloads: they must match the pod template and are immutable.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, optionalStringMapAt, stringMapAt } from '../../../base/json-fields.ts';
import { isEmptySelector, matchesSelector, selectorProblems } from '../../../kubernetes/meta/index.ts';
import { GO_NULL, goLabelSelector, goStringMap } from '../decoding/go-format.ts';
import { invalid } from '../field-problems.ts';

/** Problems with the selector at the path; whether it is required depends on the kind. */
export function labelSelectorProblems(selector: JsonObject | undefined, path: string): readonly Problem[] {
  return selectorProblems(selector, path);
}

/** Whether the selector is valid. */
export function isValidSelector(selector: JsonObject | undefined): boolean {
  return selectorProblems(selector, '').length === 0;
}

export function hasNoRequirements(selector: JsonObject | undefined): boolean {
  return isEmptySelector(selector);
}

/** An absent selector matches nothing. */
export function matchesTemplate(selector: JsonObject | undefined, template: JsonObject | undefined): boolean {
  return matchesSelector(selector, stringMapAt(template, 'metadata', 'labels'));
}

/** Reported at the labels of the template. */
export function noMatchProblem(template: JsonObject | undefined, templatePath: string): Problem {
  const labels = goStringMap(optionalStringMapAt(template, 'metadata', 'labels'));
  return invalid(`${templatePath}.metadata.labels`, labels, '`selector` does not match template `labels`');
}

/** `spec.selector` is immutable. */
export function changedSelectorProblems(
  spec: JsonObject | undefined,
  oldSpec: JsonObject | undefined,
): readonly Problem[] {
  const selector = objectAt(spec, 'selector');
  if (jsonEqual(selector ?? null, objectAt(oldSpec, 'selector') ?? null)) return [];
  const value = selector === undefined ? GO_NULL : goLabelSelector(selector);
  return [invalid('spec.selector', value, 'field is immutable')];
}
