/**
 * Selectors of workloads: they must pick the pods that the workload itself makes, and may not change.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, optionalStringMapAt, stringMapAt } from '../../../base/json-fields.ts';
import { isEmptySelector, matchesSelector, selectorProblems } from '../../../kubernetes/meta/index.ts';
import { GO_NULL, goLabelSelector, goStringMap } from '../decoding/go-format.ts';
import { invalid } from '../field-problems.ts';

/** What is wrong with the selector that stands at the path; one that is absent is left to the kind. */
export function labelSelectorProblems(selector: JsonObject | undefined, path: string): readonly Problem[] {
  return selectorProblems(selector, path);
}

/** Whether the selector can be applied at all. */
export function isSound(selector: JsonObject | undefined): boolean {
  return selectorProblems(selector, '').length === 0;
}

export function isWithoutDemands(selector: JsonObject | undefined): boolean {
  return isEmptySelector(selector);
}

/** A selector that is not there picks nothing. */
export function picksTemplate(selector: JsonObject | undefined, template: JsonObject | undefined): boolean {
  return matchesSelector(selector, stringMapAt(template, 'metadata', 'labels'));
}

/** At the labels of the template: that is where people look for the mistake. */
export function noMatchProblem(template: JsonObject | undefined, templatePath: string): Problem {
  const labels = goStringMap(optionalStringMapAt(template, 'metadata', 'labels'));
  return invalid(`${templatePath}.metadata.labels`, labels, '`selector` does not match template `labels`');
}

/** `spec.selector` of an object that is there already. */
export function changedSelectorProblems(
  spec: JsonObject | undefined,
  oldSpec: JsonObject | undefined,
): readonly Problem[] {
  const selector = objectAt(spec, 'selector');
  if (jsonEqual(selector ?? null, objectAt(oldSpec, 'selector') ?? null)) return [];
  const value = selector === undefined ? GO_NULL : goLabelSelector(selector);
  return [invalid('spec.selector', value, 'field is immutable')];
}
