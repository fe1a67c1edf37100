/**
 * How long a pod may stay on a node with NoExecute taints.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { Node, Pod } from '../../../kubernetes/types/index.ts';
import { type Taint, tolerates } from '../scheduler/tolerations.ts';

export function noExecuteTaints({ spec: { taints = [] } }: Node): readonly Taint[] {
  return taints.filter(({ effect }) => effect === 'NoExecute');
}

type Times = {
  /** When each taint was first seen, by its key. */
  readonly since: ReadonlyMap<string, number>;
  readonly nowMs: number;
};

/**
 * 0 or less where the pod has to go, Infinity where it may stay. For each taint the first toleration that fits counts, from
 * the time at which the pod and the taint met.
 */
export function remainingTolerationMs(pod: Pod, node: Node, times: Times): number {
  const { tolerations = [] } = pod.spec;
  const metMs = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.lastTransitionTime;
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of noExecuteTaints(node)) {
    const used = tolerations.find((toleration) => tolerates(toleration, taint));
    if (used === undefined) return 0;
    if (used.tolerationSeconds === undefined) continue;
    const addedMs = parseTimestamp(taint.timeAdded) ?? times.since.get(taint.key) ?? times.nowMs;
    const fromMs = Math.max(addedMs, parseTimestamp(metMs) ?? 0);
    shortest = Math.min(shortest, fromMs + Math.max(0, used.tolerationSeconds) * 1000 - times.nowMs);
  }
  return shortest;
}
