/**
 * The strategy of PodDisruptionBudgets: either `minAvailable` or `maxUnavailable`.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, optionalNumberAt, optionalStringAt, valueAt } from '../../../base/json-fields.ts';
import { podDisruptionBudget } from '../../../kubernetes/types/index.ts';
import { builtinStrategy } from '../builtin-strategy.ts';
import { conditionProblems } from '../condition-problems.ts';
import { invalid, negativeProblems, unsupportedText } from '../field-problems.ts';
import { pathSegmentProblems } from '../path-segment.ts';
import { specAndStatusStrategy, statusSubresourceWithGeneration } from '../spec-status-strategy.ts';
import { above100PercentProblems, intOrPercentProblems } from './int-or-percent.ts';
import { labelSelectorProblems } from './label-selector.ts';

export const podDisruptionBudgetStrategy = builtinStrategy({
  of: podDisruptionBudget,
  ...specAndStatusStrategy(podDisruptionBudget),
  validateName: pathSegmentProblems,
  allowsUnconditionalUpdate: false,
  validateCreate: budgetProblems,
  validateUpdate: budgetProblems,
  subresources: { status: statusSubresourceWithGeneration({ validateUpdate: statusProblems }) },
});

function budgetProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec');
  const problems: Problem[] = [];
  const amounts = ['minAvailable', 'maxUnavailable'].filter((field) => valueAt(spec, field) !== undefined);
  if (amounts.length > 1) {
    problems.push(invalid('spec', FORMATTED_SPEC, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const field of amounts) {
    const amount = valueAt(spec, field);
    problems.push(...intOrPercentProblems(`spec.${field}`, amount));
    problems.push(...above100PercentProblems(`spec.${field}`, amount));
  }
  problems.push(...labelSelectorProblems(objectAt(spec, 'selector'), 'spec.selector'));
  const policy = optionalStringAt(spec, 'unhealthyPodEvictionPolicy');
  if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) {
    problems.push(unsupportedText('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES));
  }
  return problems;
}

function statusProblems(object: JsonObject): readonly Problem[] {
  const status = objectAt(object, 'status');
  return [
    ...conditionProblems(status, 'status'),
    ...COUNTS.flatMap((field) => negativeProblems(`status.${field}`, optionalNumberAt(status, field))),
  ];
}

/** kube-apiserver prints pointers, which are meaningless. */
const FORMATTED_SPEC = 'policy.PodDisruptionBudgetSpec{…}';
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
