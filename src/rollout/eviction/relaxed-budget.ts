/**
 * Which refused evictions are retried at once because a disruption budget has changed, rather than after their delay.
 *
 * No more pods are returned than the budget allows: otherwise a budget that allows one of hundreds would cause hundreds of
 * requests, over and over.
 */

import { compareBytes } from '../../base/json.ts';
import { numberAt } from '../../base/json-fields.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import type { Pod, PodDisruptionBudget } from '../../kubernetes/types/index.ts';
import { isSelectedBy } from '../drain-pods.ts';

type BudgetChange = {
  readonly before: PodDisruptionBudget | undefined;
  readonly after: PodDisruptionBudget | undefined;
};

/** A pod whose eviction was refused, and when the drain of its node began. */
export type WaitingPod = { readonly pod: Pod; readonly sinceMs: number };

/** `waiting` is called only where the change may concern any of them. */
export function relaxedPods<T extends WaitingPod>(
  { before, after }: BudgetChange,
  waiting: () => Iterable<T>,
): readonly T[] {
  if (before === undefined || !isRelevant(before, after)) return [];
  const selected = [...waiting()].filter(({ pod }) => isSelectedBy(pod, before)).sort(longestFirst);
  const freed = selected.filter(({ pod }) => after === undefined || !isSelectedBy(pod, after));
  if (after === undefined) return freed;
  const kept = selected.filter(({ pod }) => isSelectedBy(pod, after));
  return [...freed, ...kept.slice(0, allowedRetries(before, after))];
}

function isRelevant(before: PodDisruptionBudget, after: PodDisruptionBudget | undefined): boolean {
  return (
    after === undefined || allowedRetries(before, after) > 0 || generationOf(before) !== generationOf(after)
  );
}

/** How many pods that the budget still selects may be retried. */
function allowedRetries(before: PodDisruptionBudget, after: PodDisruptionBudget): number {
  // Its spec has changed and is observed now: `disruptionsAllowed` does not show for which pods.
  if (observedOf(after) !== observedOf(before) && observedOf(after) === generationOf(after)) return Infinity;
  return allowedBy(after) > allowedBy(before) ? allowedBy(after) : 0;
}

function longestFirst(a: WaitingPod, b: WaitingPod): number {
  return (
    a.sinceMs - b.sinceMs ||
    compareBytes(namespaceOf(a.pod), namespaceOf(b.pod)) ||
    compareBytes(nameOf(a.pod), nameOf(b.pod))
  );
}

function allowedBy(budget: PodDisruptionBudget): number {
  return numberAt(budget, 'status', 'disruptionsAllowed');
}

function observedOf(budget: PodDisruptionBudget): number {
  return numberAt(budget, 'status', 'observedGeneration');
}

function generationOf(budget: PodDisruptionBudget): number {
  return numberAt(budget.metadata, 'generation');
}
