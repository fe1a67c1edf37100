/**
 * The scheduling decision: filters and scores all nodes, and returns the best one or a fit error.
 */

import { type FitFailure, filterNode } from './filter.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { SchedulerCache } from './scheduler-cache.ts';
import { bestNode } from './score.ts';

export type ScheduleResult =
  | { readonly kind: 'node'; readonly name: string }
  /** `message` is the fit error of kube-scheduler. */
  | { readonly kind: 'unschedulable'; readonly message: string };

export function schedulePod(podInfo: PodInfo, cache: SchedulerCache): ScheduleResult {
  const total = cache.nodes().length;
  if (total === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods' };
  if (podInfo.named?.size === 0) return fitError(total, 'pod affinity terms conflict', ALL_UNHELPFUL(total));
  const placement = { podInfo, cache, interPod: interPodAffinity(podInfo, cache) };
  const feasible: NodeInfo[] = [];
  const failures: FitFailure[] = [];
  const candidates = podInfo.named === undefined ? cache.nodes() : knownNodes(podInfo.named, cache);
  for (const node of candidates) {
    const obstacle = filterNode(node, placement);
    if (obstacle === undefined) feasible.push(node);
    else failures.push(obstacle);
  }
  const best = bestNode(feasible, placement);
  if (best !== undefined) return { kind: 'node', name: best.name };
  const rest = total - candidates.length;
  const others: readonly (readonly [string, number])[] =
    rest === 0 ? [] : [["node(s) didn't satisfy plugin(s) [NodeAffinity]", rest]];
  return fitError(
    total,
    histogram([...others, ...failures.flatMap(({ reasons }) => reasons.map(once))]),
    histogram([
      ...(rest === 0 ? [] : [[UNHELPFUL, rest] as const]),
      ...failures.map(({ isResolvable }) => once(isResolvable ? NO_VICTIMS : UNHELPFUL)),
    ]),
  );
}

function knownNodes(names: ReadonlySet<string>, cache: SchedulerCache): readonly NodeInfo[] {
  return [...names].flatMap((name) => cache.node(name) ?? []);
}

/** Preemption is not implemented; these are kube-scheduler's messages without victims. */
const UNHELPFUL = 'Preemption is not helpful for scheduling';
const NO_VICTIMS = 'No preemption victims found for incoming pod';
const ALL_UNHELPFUL = (total: number): string => histogram([[UNHELPFUL, total]]);

function fitError(total: number, why: string, preemption: string): ScheduleResult {
  const none = `0/${total} nodes are available: `;
  return { kind: 'unschedulable', message: `${none}${why}. preemption: ${none}${preemption}.` };
}

function once(reason: string): readonly [string, number] {
  return [reason, 1];
}

/** `1 node(s) were unschedulable, 2 Insufficient cpu`: sorted as strings, including the count. */
function histogram(reasons: readonly (readonly [reason: string, count: number])[]): string {
  const counts = new Map<string, number>();
  for (const [reason, count] of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
