/**
 * Whether the API server would refuse to evict a pod now, by the budgets as their status has them.
 *
 * A forecast: the budget of an application changes with its pods, also by the drain itself.
 */
import { numberAt, optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { hasTrueCondition, nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import type { Pod, PodDisruptionBudget } from '../../kubernetes/types/index.ts';
import { isSelectedBy } from '../drain-pods.ts';

export type EvictionRefusal = {
  readonly namespace: string;
  readonly pod: string;
  /** The names of the budgets. */
  readonly budgets: readonly string[];
  readonly message: string;
};

/** Undefined where the eviction would be granted. */
export function evictionRefusal(
  pod: Pod,
  budgets: Iterable<PodDisruptionBudget>,
): EvictionRefusal | undefined {
  if (isExempt(pod)) return undefined;
  const matching = [...budgets].filter((budget) => isSelectedBy(pod, budget));
  const [budget] = matching;
  if (budget === undefined) return undefined;
  const refused = (message: string): EvictionRefusal => ({
    namespace: namespaceOf(pod),
    pod: nameOf(pod),
    budgets: matching.map(nameOf),
    message,
  });
  if (matching.length > 1) {
    return refused('it has more than one PodDisruptionBudget, with which no pod can be evicted');
  }
  const { healthy, desired } = numbersOf(budget);
  const isHealthyEnough = healthy >= desired && desired > 0;
  const mayGoUnready =
    stringAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow' || isHealthyEnough;
  if (allowsEvictions(budget) || (!hasTrueCondition(pod, 'Ready') && mayGoUnready)) return undefined;
  return refused(`its budget needs ${desired} healthy pods and has ${healthy}`);
}

/** Whether it grants the next eviction of any of its pods. */
export function allowsEvictions(budget: PodDisruptionBudget): boolean {
  return numberAt(budget, 'status', 'disruptionsAllowed') > 0;
}

/** Pods that have finished, are pending or are being deleted do not count for a budget. */
function isExempt(pod: Pod): boolean {
  const isLeaving = optionalStringAt(pod.metadata, 'deletionTimestamp') !== undefined;
  return isLeaving || ['Succeeded', 'Failed', 'Pending'].includes(stringAt(pod, 'status', 'phase'));
}

function numbersOf(budget: PodDisruptionBudget) {
  return {
    healthy: numberAt(budget, 'status', 'currentHealthy'),
    desired: numberAt(budget, 'status', 'desiredHealthy'),
  };
}
