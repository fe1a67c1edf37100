/**
 * Whom a change of a disruption budget lets go: a pod that was refused is asked again at once where that has become
 * likely to be granted, and not only when its turn comes.
 *
 * No more pods are named than may go. A budget that lets one pod of hundreds go would otherwise make hundreds ask, over
 * and over.
 */

import { compareBytes } from '../base/json.ts';
import { numberAt } from '../base/json-fields.ts';
import { nameOf, namespaceOf } from '../kubernetes/meta/index.ts';
import type { Pod, PodDisruptionBudget } from '../kubernetes/types/index.ts';
import { isGuardedBy } from './drain-pods.ts';

type BudgetChange = {
  readonly before: PodDisruptionBudget | undefined;
  readonly after: PodDisruptionBudget | undefined;
};

/** A pod whose eviction was refused, and since when its node is drained. */
export type WaitingPod = { readonly pod: Pod; readonly sinceMs: number };

/** Those who wait are asked for only where the change may matter to any of them. */
export function relaxedPods<T extends WaitingPod>(
  { before, after }: BudgetChange,
  waiting: () => Iterable<T>,
): readonly T[] {
  if (before === undefined || !isNews(before, after)) return [];
  const guarded = [...waiting()].filter(({ pod }) => isGuardedBy(pod, before)).sort(longestFirst);
  const freed = guarded.filter(({ pod }) => after === undefined || !isGuardedBy(pod, after));
  if (after === undefined) return freed;
  const kept = guarded.filter(({ pod }) => isGuardedBy(pod, after));
  return [...freed, ...kept.slice(0, roomFor(before, after))];
}

function isNews(before: PodDisruptionBudget, after: PodDisruptionBudget | undefined): boolean {
  return after === undefined || roomFor(before, after) > 0 || generationOf(before) !== generationOf(after);
}

/** How many of those that it still guards may ask again. */
function roomFor(before: PodDisruptionBudget, after: PodDisruptionBudget): number {
  // Somebody has changed what it demands, and that is in force now: whom it lets go its numbers may not tell.
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
