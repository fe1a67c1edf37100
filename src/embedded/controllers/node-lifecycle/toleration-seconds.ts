/**
 * How long a pod tolerates the NoExecute taints of its node.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { Node, Pod } from '../../../kubernetes/types/index.ts';
import { type Taint, tolerates } from '../scheduler/tolerations.ts';

export function noExecuteTaints({ spec: { taints = [] } }: Node): readonly Taint[] {
  return taints.filter(({ effect }) => effect === 'NoExecute');
}

type Times = {
  /** First observation of each taint, by key. */
  readonly since: ReadonlyMap<string, number>;
  readonly nowMs: number;
  /** How much of the time since then this process did not run, and so could not have removed the taint. */
  readonly missedSinceMs?: (sinceMs: number) => number;
};

/**
 * 0 or less if the pod must be evicted, Infinity if it may stay. For each taint the first matching toleration counts, from
 * the later of its addition and the scheduling of the pod.
 */
export function remainingTolerationMs(pod: Pod, node: Node, times: Times): number {
  const { tolerations = [] } = pod.spec;
  const scheduledAt = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.lastTransitionTime;
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of noExecuteTaints(node)) {
    const used = tolerations.find((toleration) => tolerates(toleration, taint));
    if (used === undefined) return 0;
    if (used.tolerationSeconds === undefined) continue;
    const addedMs = parseTimestamp(taint.timeAdded) ?? times.since.get(taint.key) ?? times.nowMs;
    const fromMs = Math.max(addedMs, parseTimestamp(scheduledAt) ?? 0);
    const toleratedMs = times.nowMs - fromMs - (times.missedSinceMs?.(fromMs) ?? 0);
    shortest = Math.min(shortest, Math.max(0, used.tolerationSeconds) * 1000 - toleratedMs);
  }
  return shortest;
}
