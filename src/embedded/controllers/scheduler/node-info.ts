/**
 * A node as the scheduler sees it: what decides whether and how gladly it takes a pod, prepared so that thousands of
 * nodes can be looked at for every pod.
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
  /** Taints that keep pods away, and those that only ask them to go elsewhere. */
  readonly forbidding: readonly Taint[];
  readonly discouraging: readonly Taint[];
  readonly allocatable: Amounts;
  /** What of that is looked at most. */
  readonly cpu: number;
  readonly memory: number;
  readonly usage: NodeUsage;
};

/** What is on the node now. It lives on when the node changes, and is there before the node is known. */
export type NodeUsage = {
  readonly used: Map<string, number>;
  pods: number;
  /** As much as is used, where pods that ask for nothing are thought to use something. */
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

/** Most changes of a node are heartbeats and annotations, which do not matter here. */
export function isSameNodeInfo(before: NodeInfo | undefined, after: NodeInfo | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return jsonEqual(comparable(before), comparable(after));
}

function comparable({ allocatable, usage: _, ...view }: NodeInfo): object {
  return { ...view, allocatable: [...allocatable] };
}
