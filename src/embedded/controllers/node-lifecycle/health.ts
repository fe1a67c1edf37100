/**
 * Conditions of a node whose kubelet stopped reporting.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Node, NodeCondition } from '../../../kubernetes/types/index.ts';

/** Conditions reported by the kubelet. NetworkUnavailable has another writer. */
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export function conditionOf(node: Node, type: string): NodeCondition | undefined {
  return node.status?.conditions?.find((condition) => condition.type === type);
}

export function isNodeReady(node: Node): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}

/** Sets the kubelet's conditions to Unknown; returns the same node if they already are. */
export function withUnknownConditions(node: Node, nowMs: number): Node {
  const now = formatTimestamp(nowMs);
  const known = node.status?.conditions ?? [];
  const conditions = known.map((condition): NodeCondition => {
    if (!KUBELET_CONDITIONS.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  const missing = KUBELET_CONDITIONS.filter(
    (type) => !known.some((condition) => condition.type === type),
  ).map(
    (type): NodeCondition => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
      lastTransitionTime: now,
    }),
  );
  const isSame = missing.length === 0 && conditions.every((condition, index) => condition === known[index]);
  return isSame ? node : { ...node, status: { ...node.status, conditions: [...conditions, ...missing] } };
}
