/**
 * Filters a node for a pod, with the failure reasons of kube-scheduler.
 */

import { type AffinityViolation, affinityViolation, type InterPodAffinity } from './inter-pod-affinity.ts';
import { meetsRequirements } from './node-affinity.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { isTolerated, type Taint } from './tolerations.ts';

export type FitFailure = {
  readonly reasons: readonly string[];
  /** Whether the removal of other pods could help. */
  readonly isResolvable: boolean;
};

/** `interPod` is undefined without inter-pod terms. */
type Placement = { readonly podInfo: PodInfo; readonly interPod: InterPodAffinity | undefined };

/** The first failure, like kube-scheduler; undefined if the pod fits. */
export function filterNode(node: NodeInfo, { podInfo, interPod }: Placement): FitFailure | undefined {
  if (node.isUnschedulable && !isTolerated(podInfo.tolerations, UNSCHEDULABLE)) return UNSCHEDULABLE_NODE;
  for (const taint of node.forbidding) {
    if (isTolerated(podInfo.tolerations, taint)) continue;
    const { key, value = '' } = taint;
    return { reasons: [`node(s) had untolerated taint {${key}: ${value}}`], isResolvable: false };
  }
  if (podInfo.node !== undefined && !meetsRequirements(podInfo.node, node)) return WRONG_NODE;
  const lacking = lackingResources(node, podInfo);
  if (lacking.length > 0) return { reasons: lacking, isResolvable: true };
  const problem = interPod === undefined ? undefined : affinityViolation(interPod, node);
  return problem === undefined ? undefined : AFFINITY_FAILURES[problem];
}

/** The taint of cordoned nodes, which pods may tolerate. */
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const UNSCHEDULABLE_NODE: FitFailure = { reasons: ['node(s) were unschedulable'], isResolvable: false };
const WRONG_NODE: FitFailure = {
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  isResolvable: false,
};
const AFFINITY_FAILURES: { readonly [problem in AffinityViolation]: FitFailure } = {
  needed: { reasons: ["node(s) didn't match pod affinity rules"], isResolvable: false },
  avoided: { reasons: ["node(s) didn't match pod anti-affinity rules"], isResolvable: true },
  refused: { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], isResolvable: true },
};

const NOTHING: readonly string[] = [];

function lackingResources({ allocatable, usage }: NodeInfo, { asked }: PodInfo): readonly string[] {
  let lacking: string[] | undefined;
  if (usage.pods + 1 > (allocatable.get('pods') ?? 0)) lacking = ['Too many pods'];
  for (const { resource, amount } of asked) {
    if (amount <= (allocatable.get(resource) ?? 0) - (usage.used.get(resource) ?? 0)) continue;
    lacking ??= [];
    lacking.push(`Insufficient ${resource}`);
  }
  return lacking ?? NOTHING;
}
