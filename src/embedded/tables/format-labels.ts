/**
 * Labels and selectors in a cell.
 */

import { isObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { formatSelector, type LabelSelector, selectorProblems } from '../../kubernetes/meta/index.ts';
import { entriesAt } from './fields.ts';

/** The labels at the path: `a=b,c=d`. */
export function formatLabels(object: unknown, ...path: readonly string[]): string {
  const pairs = entriesAt(object, ...path).map(([key, value]) => `${key}=${value}`);
  return pairs.join(',') || '<none>';
}

/** The selector of a workload, and what kube-apiserver prints for an empty or invalid one. */
export function formatWorkloadSelector(
  object: unknown,
  texts: { readonly empty: string; readonly wrong: string },
): string {
  const selector = selectorAt(object);
  if (selectorProblems(selector, '').length > 0) return texts.wrong;
  return formatSelector(selector) || texts.empty;
}

function selectorAt(object: unknown): LabelSelector | undefined {
  const selector = valueAt(object, 'spec', 'selector');
  // The functions that use it do not rely on the types of its fields.
  return isObject(selector) ? (selector as LabelSelector) : undefined;
}
