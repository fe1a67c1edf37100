/**
 * NodeInfo: what filtering and scoring need of a node, prepared for thousands of nodes per pod.
 */

import { jsonEqual, own } from '../../../base/json.ts';
import type { Labels } from '../../../kubernetes/meta/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { type Amounts, nodeAllocatable } from '../pod-resources.ts';
import type { Taint } from './tolerations.ts';

export type NodeInfo = {
  readonly name: string;
  readonly labels: Labels;
  readonly zone: string | undefined;
  readonly isUnschedulable: boolean;
  /** Taints with NoSchedule or NoExecute, and those with PreferNoSchedule. */
  readonly forbidding: readonly Taint[];
  readonly discouraging: readonly Taint[];
  readonly allocatable: Amounts;
  /** The most frequently used resources. */
  readonly cpu: number;
  readonly memory: number;
  readonly usage: NodeUsage;
};

/** The usage of the node. Survives changes of the node, and may exist before it is known. */
export type NodeUsage = {
  readonly used: Map<string, number>;
  pods: number;
  /** Requests for scoring, with defaults for pods without requests. */
  cpuLoad: number;
  memoryLoad: number;
};

const ZONE = 'topology.kubernetes.io/zone';

export function nodeInfoOf(node: Node, usage: NodeUsage): NodeInfo {
  const { name, labels = {} } = node.metadata;
  const { taints = [], unschedulable = false } = node.spec;
  const zone = own(labels, ZONE);
  const allocatable = nodeAllocatable(node);
  return {
    name,
    labels,
    zone: typeof zone === 'string' ? zone : undefined,
    isUnschedulable: unschedulable,
    forbidding: taints.filter(({ effect }) => effect !== 'PreferNoSchedule'),
    discouraging: taints.filter(({ effect }) => effect === 'PreferNoSchedule'),
    allocatable,
    cpu: allocatable.get('cpu') ?? 0,
    memory: allocatable.get('memory') ?? 0,
    usage,
  };
}

/** Ignores heartbeats and annotations, which are most changes. */
export function isSameNodeInfo(before: NodeInfo | undefined, after: NodeInfo | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return jsonEqual(comparable(before), comparable(after));
}

function comparable({ allocatable, usage: _, ...view }: NodeInfo): object {
  return { ...view, allocatable: [...allocatable] };
}
