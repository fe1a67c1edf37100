/**
 * Scores the feasible nodes of a pod.
 *
 * Three scores from 0 to 100, with kube-scheduler's weights: PreferNoSchedule taints, pods of the same owner on the node
 * and in its zone, and free resources. The name breaks ties, for deterministic results.
 */
import { compareBytes } from '../../../base/json.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { SchedulerCache } from './scheduler-cache.ts';
import { isTolerated } from './tolerations.ts';

type ScoreInput = { readonly podInfo: PodInfo; readonly cache: SchedulerCache };

/** Undefined if there are no nodes. */
export function bestNode(nodes: readonly NodeInfo[], input: ScoreInput): NodeInfo | undefined {
  const scoreOf = scorer(nodes, input);
  let best: NodeInfo | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const node of nodes) {
    const score = scoreOf(node);
    const isBetter =
      score > bestScore ||
      (score === bestScore && best !== undefined && compareBytes(node.name, best.name) < 0);
    if (!isBetter) continue;
    best = node;
    bestScore = score;
  }
  return best;
}

const WEIGHTS = { taints: 3, spread: 2, free: 1 };
const FULL = 100;

function scorer(nodes: readonly NodeInfo[], input: ScoreInput): (node: NodeInfo) => number {
  const taints = taintScore(nodes, input);
  const spread = spreadScore(input);
  return (node) =>
    WEIGHTS.taints * taints(node) + WEIGHTS.spread * spread(node) + WEIGHTS.free * freeScore(node, input);
}

function taintScore(nodes: readonly NodeInfo[], { podInfo }: ScoreInput): (node: NodeInfo) => number {
  const countOf = ({ discouraging }: NodeInfo): number => {
    let count = 0;
    for (const taint of discouraging) if (!isTolerated(podInfo.tolerations, taint)) count += 1;
    return count;
  };
  let most = 0;
  for (const node of nodes) most = Math.max(most, countOf(node));
  return most === 0 ? () => FULL : (node) => FULL - (FULL * countOf(node)) / most;
}

/** Like kube-scheduler's weight of zones. */
const ZONE_SHARE = 2 / 3;

/** Fewer pods of the owner score higher. */
function spreadScore({ podInfo: { owner }, cache }: ScoreInput): (node: NodeInfo) => number {
  const onNodes = owner === undefined ? undefined : cache.groups.ofOwner(owner);
  if (onNodes === undefined || onNodes.size === 0) return () => FULL;
  const inZones = new Map<string, number>();
  let mostOnNode = 0;
  let mostInZone = 0;
  for (const [name, count] of onNodes) {
    mostOnNode = Math.max(mostOnNode, count);
    const zone = cache.node(name)?.zone;
    if (zone === undefined) continue;
    const inZone = (inZones.get(zone) ?? 0) + count;
    inZones.set(zone, inZone);
    mostInZone = Math.max(mostInZone, inZone);
  }
  return ({ name, zone }) => {
    const nodeScore = inverse(onNodes.get(name) ?? 0, mostOnNode);
    if (zone === undefined) return nodeScore;
    return nodeScore * (1 - ZONE_SHARE) + inverse(inZones.get(zone) ?? 0, mostInZone) * ZONE_SHARE;
  };
}

function inverse(count: number, most: number): number {
  return most === 0 ? FULL : (FULL * (most - count)) / most;
}

/** Least allocated: free CPU and memory after placing the pod. */
function freeScore({ cpu, memory, usage }: NodeInfo, { podInfo }: ScoreInput): number {
  const freeCpu = free(cpu, usage.cpuLoad + podInfo.cpuLoad);
  return (freeCpu + free(memory, usage.memoryLoad + podInfo.memoryLoad)) / 2;
}

function free(capacity: number, used: number): number {
  return capacity <= used ? 0 : (FULL * (capacity - used)) / capacity;
}
