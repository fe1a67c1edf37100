/**
 * Which of the nodes that a pod fits on is the best for it.
 *
 * Three things count, each from 0 to 100 and with the weight that kube-scheduler gives it: taints that ask to be avoided,
 * pods of the same owner on the node and in its zone, and how much of the node is free. Where nodes are equal the name
 * decides, so that the same cluster always gets the same answer.
 */
import { compareBytes } from '../../../base/json.ts';
import type { PodDemand } from './demand.ts';
import type { Ledger } from './ledger.ts';
import type { NodeView } from './node-view.ts';
import { isTolerated } from './tolerations.ts';

type ScoreInput = { readonly demand: PodDemand; readonly ledger: Ledger };

/** Undefined where there are no nodes. */
export function bestNode(nodes: readonly NodeView[], input: ScoreInput): NodeView | undefined {
  const scoreOf = scorer(nodes, input);
  let best: NodeView | undefined;
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

function scorer(nodes: readonly NodeView[], input: ScoreInput): (node: NodeView) => number {
  const taints = taintScore(nodes, input);
  const spread = spreadScore(input);
  return (node) =>
    WEIGHTS.taints * taints(node) + WEIGHTS.spread * spread(node) + WEIGHTS.free * freeScore(node, input);
}

function taintScore(nodes: readonly NodeView[], { demand }: ScoreInput): (node: NodeView) => number {
  const countOf = ({ discouraging }: NodeView): number => {
    let count = 0;
    for (const taint of discouraging) if (!isTolerated(demand.tolerations, taint)) count += 1;
    return count;
  };
  let most = 0;
  for (const node of nodes) most = Math.max(most, countOf(node));
  return most === 0 ? () => FULL : (node) => FULL - (FULL * countOf(node)) / most;
}

/** A zone that fails takes more with it than a node. */
const ZONE_SHARE = 2 / 3;

/** The fewer pods of the owner are there already, the better. */
function spreadScore({ demand: { owner }, ledger }: ScoreInput): (node: NodeView) => number {
  const onNodes = owner === undefined ? undefined : ledger.groups.ofOwner(owner);
  if (onNodes === undefined || onNodes.size === 0) return () => FULL;
  const inZones = new Map<string, number>();
  let mostOnNode = 0;
  let mostInZone = 0;
  for (const [name, count] of onNodes) {
    mostOnNode = Math.max(mostOnNode, count);
    const zone = ledger.node(name)?.zone;
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

/** How much is free of the CPU and of the memory, once the pod is there. */
function freeScore({ cpu, memory, tally }: NodeView, { demand }: ScoreInput): number {
  const freeCpu = free(cpu, tally.cpuLoad + demand.cpuLoad);
  return (freeCpu + free(memory, tally.memoryLoad + demand.memoryLoad)) / 2;
}

function free(capacity: number, used: number): number {
  return capacity <= used ? 0 : (FULL * (capacity - used)) / capacity;
}
