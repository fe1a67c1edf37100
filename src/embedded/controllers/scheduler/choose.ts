/**
 * The decision of the scheduler: on which node a pod goes, or why there is none for it.
 */
import type { PodDemand } from './demand.ts';
import type { Ledger } from './ledger.ts';
import { nearnessOf } from './nearness.ts';
import type { NodeView } from './node-view.ts';
import { type Obstacle, obstacleAt } from './obstacle.ts';
import { bestNode } from './score.ts';

export type Choice =
  | { readonly kind: 'node'; readonly name: string }
  /** `message`: as kube-scheduler says it. */
  | { readonly kind: 'nowhere'; readonly message: string };

export function chooseNode(demand: PodDemand, ledger: Ledger): Choice {
  const total = ledger.nodes().length;
  if (total === 0) return { kind: 'nowhere', message: 'no nodes available to schedule pods' };
  if (demand.named?.size === 0) return nowhere(total, 'pod affinity terms conflict', ALL_UNHELPFUL(total));
  const placement = { demand, ledger, nearness: nearnessOf(demand, ledger) };
  const fitting: NodeView[] = [];
  const obstacles: Obstacle[] = [];
  const candidates = demand.named === undefined ? ledger.nodes() : knownNodes(demand.named, ledger);
  for (const node of candidates) {
    const obstacle = obstacleAt(node, placement);
    if (obstacle === undefined) fitting.push(node);
    else obstacles.push(obstacle);
  }
  const best = bestNode(fitting, placement);
  if (best !== undefined) return { kind: 'node', name: best.name };
  const rest = total - candidates.length;
  const others: readonly (readonly [string, number])[] =
    rest === 0 ? [] : [["node(s) didn't satisfy plugin(s) [NodeAffinity]", rest]];
  return nowhere(
    total,
    histogram([...others, ...obstacles.flatMap(({ reasons }) => reasons.map(once))]),
    histogram([
      ...(rest === 0 ? [] : [[UNHELPFUL, rest] as const]),
      ...obstacles.map(({ isCrowd }) => once(isCrowd ? NO_VICTIMS : UNHELPFUL)),
    ]),
  );
}

function knownNodes(names: ReadonlySet<string>, ledger: Ledger): readonly NodeView[] {
  return [...names].flatMap((name) => ledger.node(name) ?? []);
}

/** Less important pods are never asked to leave here; kube-scheduler says the same where there are none. */
const UNHELPFUL = 'Preemption is not helpful for scheduling';
const NO_VICTIMS = 'No preemption victims found for incoming pod';
const ALL_UNHELPFUL = (total: number): string => histogram([[UNHELPFUL, total]]);

function nowhere(total: number, why: string, preemption: string): Choice {
  const none = `0/${total} nodes are available: `;
  return { kind: 'nowhere', message: `${none}${why}. preemption: ${none}${preemption}.` };
}

function once(reason: string): readonly [string, number] {
  return [reason, 1];
}

/** `1 node(s) were unschedulable, 2 Insufficient cpu`: sorted as texts, the number included. */
function histogram(reasons: readonly (readonly [reason: string, count: number])[]): string {
  const counts = new Map<string, number>();
  for (const [reason, count] of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
