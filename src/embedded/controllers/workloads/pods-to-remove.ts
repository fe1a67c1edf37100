/**
 * Which pods go first where there are too many: those that matter least, in the order of Kubernetes.
 */

import { compareBytes } from '../../../base/json.ts';
import type { Pod } from '../../../kubernetes/types/index.ts';
import { createdMs, isActive, isReady, readySinceMs } from './pod-state.ts';

type ScheduleResult = {
  readonly pods: readonly Pod[];
  readonly count: number;
  /** Pods of the same kind: who shares a node with many of them goes before who is alone. */
  readonly related: readonly Pod[];
  readonly nowMs: number;
};

export function podsToRemove({ pods, count, related, nowMs }: ScheduleResult): readonly Pod[] {
  const onNode = new Map<string, number>();
  for (const { spec } of related.filter(isActive)) {
    onNode.set(spec.nodeName ?? '', (onNode.get(spec.nodeName ?? '') ?? 0) + 1);
  }
  const neighbours = ({ spec }: Pod): number => onNode.get(spec.nodeName ?? '') ?? 0;
  const orders = [...roughOrders, (a: Pod, b: Pod) => neighbours(b) - neighbours(a), ...fineOrders(nowMs)];
  return pods.toSorted((a, b) => firstDifference(orders, a, b)).slice(0, count);
}

/** Below zero: the first goes before the second. */
type Order = (a: Pod, b: Pod) => number;

function firstDifference(orders: readonly Order[], a: Pod, b: Pod): number {
  for (const order of orders) {
    const difference = order(a, b);
    if (difference !== 0) return difference;
  }
  return compareBytes(a.metadata.uid ?? '', b.metadata.uid ?? '');
}

const PHASES: { readonly [phase: string]: number } = { Pending: 0, Unknown: 1, Running: 2 };
const COST = 'controller.kubernetes.io/pod-deletion-cost';

const roughOrders: readonly Order[] = [
  // Without a node before those that have one.
  (a, b) => Number(isPlaced(a)) - Number(isPlaced(b)),
  (a, b) => phaseRank(a) - phaseRank(b),
  (a, b) => Number(isReady(a)) - Number(isReady(b)),
  (a, b) => costOf(a) - costOf(b),
];

function fineOrders(nowMs: number): readonly Order[] {
  return [
    (a, b) =>
      isReady(a) && isReady(b) ? compareAges(readySinceMs(a), readySinceMs(b), nowMs, idOrder(a, b)) : 0,
    (a, b) => restartsOf(b) - restartsOf(a),
    (a, b) => compareAges(createdMs(a), createdMs(b), nowMs, idOrder(a, b)),
  ];
}

function isPlaced({ spec }: Pod): boolean {
  return (spec.nodeName ?? '') !== '';
}

function phaseRank({ status }: Pod): number {
  return PHASES[status?.phase ?? 'Pending'] ?? 0;
}

/** A number that people put on pods. What is none counts as zero. */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[COST] ?? '';
  return /^(0|-?[1-9][0-9]{0,9})$/.test(text) ? Number(text) : 0;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

function idOrder(a: Pod, b: Pod): number {
  return compareBytes(a.metadata.uid ?? '', b.metadata.uid ?? '');
}

/**
 * The younger first, and before it what has no time at all. Ages count by their magnitude alone: among pods that are about
 * as old the choice is as good as random, so that it does not always hit the newest nodes.
 */
function compareAges(a: number | undefined, b: number | undefined, nowMs: number, otherwise: number): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const difference = magnitude(nowMs - a) - magnitude(nowMs - b);
  return difference === 0 ? otherwise : difference;
}

const NANOS_PER_MS = 1_000_000;

function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * NANOS_PER_MS)) : -1;
}
