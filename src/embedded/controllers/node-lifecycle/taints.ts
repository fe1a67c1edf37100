/**
 * The taints derived from the conditions of a node, which scheduler and eviction use.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import type { Taint, TaintEffect } from '../scheduler/tolerations.ts';
import { conditionOf } from './health.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Taints by condition and status. */
const CONDITION_TAINTS: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
/** Taints that also have the effect NoExecute. */
const EVICTING: ReadonlySet<string> = new Set([NOT_READY, UNREACHABLE]);

type TaintInput = {
  /** No node is ready: most likely a network problem, so no pods are evicted. */
  readonly isOutage: boolean;
  readonly nowMs: number;
};

/** Sets the derived taints and keeps others; returns the same node if unchanged. */
export function tainted(node: Node, { isOutage, nowMs }: TaintInput): Node {
  const before = node.spec.taints ?? [];
  const desired = desiredTaints(node, isOutage);
  const kept = before.filter((taint) => !isOwned(taint) || desired.some((one) => isSame(one, taint)));
  const added = desired
    .filter((taint) => !before.some((one) => isSame(one, taint)))
    .map((taint): Taint => ({ ...taint, timeAdded: formatTimestamp(nowMs) }));
  if (added.length === 0 && kept.length === before.length) return node;
  const { taints: _, ...spec } = node.spec;
  const taints = [...kept, ...added];
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } };
}

function desiredTaints(node: Node, isOutage: boolean): readonly Taint[] {
  const keys = CONDITION_TAINTS.filter(([type, status]) => conditionOf(node, type)?.status === status).map(
    ([, , key]) => key,
  );
  const isCordoned = node.spec.unschedulable === true;
  const evicting = isOutage ? [] : keys.filter((key) => EVICTING.has(key));
  return [
    ...[...keys, ...(isCordoned ? [UNSCHEDULABLE] : [])].map((key) => taintOf(key, 'NoSchedule')),
    ...evicting.map((key) => taintOf(key, 'NoExecute')),
  ];
}

function taintOf(key: string, effect: TaintEffect): Taint {
  return { key, effect };
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

const OWNED: ReadonlySet<string> = new Set([
  ...[...CONDITION_TAINTS.map(([, , key]) => key), UNSCHEDULABLE].map((key) => `${key} NoSchedule`),
  ...[...EVICTING].map((key) => `${key} NoExecute`),
]);

function isOwned({ key, effect }: Taint): boolean {
  return OWNED.has(`${key} ${effect}`);
}
