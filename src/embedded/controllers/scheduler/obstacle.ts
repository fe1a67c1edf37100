/**
 * Why a pod cannot go to a node, in the words of kube-scheduler.
 */
import type { PodDemand } from './demand.ts';
import { type Nearness, type NearnessProblem, nearnessProblem } from './nearness.ts';
import { meetsDemands } from './node-affinity.ts';
import type { NodeView } from './node-view.ts';
import { isTolerated, type Taint } from './tolerations.ts';

export type Obstacle = {
  readonly reasons: readonly string[];
  /** Whether it would help if other pods left the node. */
  readonly isCrowd: boolean;
};

/** `nearness`: undefined where no other pod matters. */
type Placement = { readonly demand: PodDemand; readonly nearness: Nearness | undefined };

/** The first that is found, as kube-scheduler looks no further; undefined where the pod fits. */
export function obstacleAt(node: NodeView, { demand, nearness }: Placement): Obstacle | undefined {
  if (node.isUnschedulable && !isTolerated(demand.tolerations, UNSCHEDULABLE)) return UNSCHEDULABLE_NODE;
  for (const taint of node.forbidding) {
    if (isTolerated(demand.tolerations, taint)) continue;
    const { key, value = '' } = taint;
    return { reasons: [`node(s) had untolerated taint {${key}: ${value}}`], isCrowd: false };
  }
  if (demand.node !== undefined && !meetsDemands(demand.node, node)) return WRONG_NODE;
  const lacking = lackingResources(node, demand);
  if (lacking.length > 0) return { reasons: lacking, isCrowd: true };
  const problem = nearness === undefined ? undefined : nearnessProblem(nearness, node);
  return problem === undefined ? undefined : NEARNESS_OBSTACLES[problem];
}

/** Stands on nodes that are cordoned; a pod that tolerates it may go there. */
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const UNSCHEDULABLE_NODE: Obstacle = { reasons: ['node(s) were unschedulable'], isCrowd: false };
const WRONG_NODE: Obstacle = {
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  isCrowd: false,
};
const NEARNESS_OBSTACLES: { readonly [problem in NearnessProblem]: Obstacle } = {
  needed: { reasons: ["node(s) didn't match pod affinity rules"], isCrowd: false },
  avoided: { reasons: ["node(s) didn't match pod anti-affinity rules"], isCrowd: true },
  refused: { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], isCrowd: true },
};

const NOTHING: readonly string[] = [];

function lackingResources({ allocatable, tally }: NodeView, { asked }: PodDemand): readonly string[] {
  let lacking: string[] | undefined;
  if (tally.pods + 1 > (allocatable.get('pods') ?? 0)) lacking = ['Too many pods'];
  for (const { resource, amount } of asked) {
    if (amount <= (allocatable.get(resource) ?? 0) - (tally.used.get(resource) ?? 0)) continue;
    lacking ??= [];
    lacking.push(`Insufficient ${resource}`);
  }
  return lacking ?? NOTHING;
}
