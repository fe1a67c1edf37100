/**
 * Ranks surplus pods for deletion, in the order of the ReplicaSet controller.
 */

import { compareBytes } from '../../../base/json.ts';
import type { Pod } from '../../../kubernetes/types/index.ts';
import { createdMs, isActive, isReady, readySinceMs } from './pod-state.ts';

type ScheduleResult = {
  readonly pods: readonly Pod[];
  readonly count: number;
  /** Related pods: pods on nodes with more of them are deleted first. */
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

/** Negative: the first is deleted before the second. */
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
  // Unbound pods first.
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

/** The pod-deletion-cost annotation; malformed values count as zero. */
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
 * Newer ones first, and those without a time before them. Ages are compared by order of magnitude, so that the choice among
 * similar ages is effectively random.
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
