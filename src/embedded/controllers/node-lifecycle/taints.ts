/**
 * The taints that follow from how a node is: whoever schedules or evicts pods goes by them, not by conditions.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import type { Taint, TaintEffect } from '../scheduler/tolerations.ts';
import { conditionOf } from './health.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Which condition, where it has which status, means which taint. */
const MEANINGS: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
/** Those that make running pods go too. */
const EVICTING: ReadonlySet<string> = new Set([NOT_READY, UNREACHABLE]);

type TaintInput = {
  /** No node is ready: it is not the nodes that are to blame, and evicting pods would help nobody. */
  readonly isOutage: boolean;
  readonly nowMs: number;
};

/** The node with the taints it should have; the same node where it has them. Those of others stay. */
export function tainted(node: Node, { isOutage, nowMs }: TaintInput): Node {
  const before = node.spec.taints ?? [];
  const wanted = wantedTaints(node, isOutage);
  const kept = before.filter((taint) => !isOwned(taint) || wanted.some((one) => isSame(one, taint)));
  const added = wanted
    .filter((taint) => !before.some((one) => isSame(one, taint)))
    .map((taint): Taint => ({ ...taint, timeAdded: formatTimestamp(nowMs) }));
  if (added.length === 0 && kept.length === before.length) return node;
  const { taints: _, ...spec } = node.spec;
  const taints = [...kept, ...added];
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } };
}

function wantedTaints(node: Node, isOutage: boolean): readonly Taint[] {
  const keys = MEANINGS.filter(([type, status]) => conditionOf(node, type)?.status === status).map(
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
  ...[...MEANINGS.map(([, , key]) => key), UNSCHEDULABLE].map((key) => `${key} NoSchedule`),
  ...[...EVICTING].map((key) => `${key} NoExecute`),
]);

function isOwned({ key, effect }: Taint): boolean {
  return OWNED.has(`${key} ${effect}`);
}
