/**
 * Which nodes of a pool go to a target, in which order, and which stay behind.
 */
import {
  APP_LABEL,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  OPERATOR_APP,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { labelOf, nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import {
  daemonSet as daemonSetKind,
  type Node,
  type Pod,
  podDisruptionBudget as podDisruptionBudgetKind,
  pod as podKind,
} from '../../kubernetes/types/index.ts';
import {
  type Contribution,
  chooseTargets,
  evictionRefusal,
  isCordoned,
  isCordonedByUs,
  type PoolTarget,
  podsToMove,
  relabellingOf,
  tallyOf,
  unreadyReason,
} from '../../rollout/index.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import type { PoolPlan, WaitingNode } from './plan-types.ts';

type SentNodes = {
  /** In the order in which they are sent. */
  readonly going: readonly Contribution[];
  readonly waiting: readonly WaitingNode[];
};

export function sentNodes(
  snapshot: ClusterSnapshot,
  { pool, nodes, target, namespace }: SendingPool,
): SentNodes {
  const tally = tallyOf(target, nodes, (name) => snapshot.get(machineConfigNodeKind, { name }));
  const { retryable, candidates } = tally.availability;
  const selection = { candidates: [...retryable, ...candidates], capacity: Number.POSITIVE_INFINITY };
  const { chosen, deferred, relabelled } = chooseTargets(selection, {
    poolName: nameOf(pool),
    operatorNodes: operatorNodes(snapshot, namespace),
    relabelling: (node) =>
      relabellingOf(node, {
        machineConfig: (name) => snapshot.get(machineConfigKind, { name }),
        pool: (name) => snapshot.get(machineConfigPoolKind, { name }),
      }),
  });
  const going = deferred === undefined ? chosen : [...chosen, deferred];
  const sent = new Set(going.map(({ name }) => name));
  const left = nodes.flatMap((node) => {
    const name = nameOf(node);
    const contribution = tally.contribution(name);
    if (contribution === undefined || sent.has(name) || contribution.isUpdated) return [];
    return [{ name, why: reasonToWait(contribution) }];
  });
  const relabelledNodes = relabelled.map(({ node, pool: other }) => ({
    name: node,
    why: `was installed for pool ${other} and gets its labels`,
  }));
  const waiting = new Map([...left, ...relabelledNodes].map((one) => [one.name, one]));
  return { going, waiting: [...waiting.values()].toSorted((a, b) => compareBytes(a.name, b.name)) };
}

type SendingPool = {
  readonly pool: MachineConfigPool;
  readonly nodes: readonly Node[];
  readonly target: PoolTarget;
  /** Of the components. */
  readonly namespace: string;
};

function operatorNodes(snapshot: ClusterSnapshot, namespace: string): readonly string[] {
  const isOperator = (pod: Pod) => namespaceOf(pod) === namespace && labelOf(pod, APP_LABEL) === OPERATOR_APP;
  return snapshot
    .all(podKind)
    .filter(isOperator)
    .flatMap(({ spec }) => spec.nodeName ?? []);
}

function reasonToWait({ node, isWithoutDaemon, part }: Contribution): string {
  if (isWithoutDaemon) return 'has no daemon';
  if (part === 'failing') return 'fails to update to this config';
  if (isCordonedByUs(node)) return 'is being updated, and follows when it is done';
  if (isCordoned(node)) return 'is cordoned';
  return unreadyReason(node) ?? 'is on its way to this config already';
}

/** Pods that would refuse to be evicted now, of nodes that are drained. */
export function refusalsOn(snapshot: ClusterSnapshot, nodes: readonly string[]): PoolPlan['refusals'] {
  const budgets = snapshot.all(podDisruptionBudgetKind);
  if (budgets.length === 0 || nodes.length === 0) return [];
  const drained = new Set(nodes);
  const byNode = new Map<string, Pod[]>();
  for (const pod of snapshot.all(podKind)) {
    const { nodeName = '' } = pod.spec;
    if (!drained.has(nodeName)) continue;
    const list = byNode.get(nodeName);
    if (list === undefined) byNode.set(nodeName, [pod]);
    else list.push(pod);
  }
  const exists = (place: { readonly namespace: string; readonly name: string }) =>
    snapshot.get(daemonSetKind, place) !== undefined || !snapshot.has(daemonSetKind);
  const inNamespace = new Map<string, typeof budgets>();
  for (const budget of budgets) {
    const key = namespaceOf(budget);
    inNamespace.set(key, [...(inNamespace.get(key) ?? []), budget]);
  }
  return nodes.flatMap((node) => {
    const pods = byNode.get(node) ?? [];
    const names = new Set(
      podsToMove(pods, exists).staying.map(({ namespace, name }) => `${namespace}/${name}`),
    );
    return pods.flatMap((pod) => {
      if (!names.has(`${namespaceOf(pod)}/${nameOf(pod)}`)) return [];
      const refusal = evictionRefusal(pod, inNamespace.get(namespaceOf(pod)) ?? []);
      return refusal === undefined ? [] : [{ node, ...refusal }];
    });
  });
}
