/**
 * Rolling update of a DaemonSet: old pods are deleted within maxUnavailable, or with maxSurge new ones are created first.
 */
import type { DaemonSet, Pod } from '../../../kubernetes/types/index.ts';
import { amountOf } from './amounts.ts';
import { isUpdated } from './daemon-pods.ts';
import { isAvailable, type Patience } from './pod-state.ts';

/** Nodes that need a pod, and pods to delete. */
export type PodMoves = { readonly nodes: readonly string[]; readonly remove: readonly Pod[] };

const noMoves: PodMoves = { nodes: [], remove: [] };

/** One node of the set. */
export type DaemonNode = {
  readonly name: string;
  readonly shouldRun: boolean;
  readonly pods: readonly Pod[];
};

type Rollout = {
  readonly set: DaemonSet;
  readonly hash: string;
  /** All nodes that have or should have the pod. */
  readonly nodes: readonly DaemonNode[];
  readonly nowMs: number;
};

export function surgeOf({ spec: { updateStrategy } }: DaemonSet, total: number): number {
  if (updateStrategy?.type === 'OnDelete') return 0;
  return amountOf(updateStrategy?.rollingUpdate?.maxSurge, { total, rounding: 'up' });
}

function unavailableOf(set: DaemonSet, total: number): number {
  const { maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const amount = amountOf(maxUnavailable, { total, rounding: 'up' });
  // At least one must be above zero, or nothing would ever be updated.
  return amount === 0 && surgeOf(set, total) === 0 ? 1 : amount;
}

export function decideRollout(rollout: Rollout): PodMoves {
  const { set, nodes } = rollout;
  if (set.spec.updateStrategy?.type === 'OnDelete') return noMoves;
  const wanted = nodes.filter(({ shouldRun }) => shouldRun).length;
  const surge = surgeOf(set, wanted);
  return surge > 0
    ? surgingMoves(rollout, surge, wanted)
    : removingMoves(rollout, unavailableOf(set, wanted));
}

/** The pod of the current template and one of an older template; undefined if there are more. */
type Pair = { readonly fresh: Pod | undefined; readonly old: Pod | undefined };

function pairOn({ pods }: DaemonNode, { set, hash }: Rollout): Pair | undefined {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const [fresh, ...moreFresh] = staying.filter((one) => isUpdated(one, set, hash));
  const [old, ...moreOld] = staying.filter((one) => !isUpdated(one, set, hash));
  return moreFresh.length + moreOld.length > 0 ? undefined : { fresh, old };
}

function patienceOf({ set, nowMs }: Rollout): Patience {
  return { minReadySeconds: set.spec.minReadySeconds, nowMs };
}

function removingMoves(rollout: Rollout, maxUnavailable: number): PodMoves {
  const patience = patienceOf(rollout);
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const node of rollout.nodes) {
    const pair = pairOn(node, rollout);
    if (pair === undefined || (pair.fresh === undefined) === (pair.old === undefined)) unavailable++;
    else if (pair.old === undefined) {
      if (pair.fresh === undefined || !isAvailable(pair.fresh, patience)) unavailable++;
    } else if (isAvailable(pair.old, patience)) candidates.push(pair.old);
    else {
      // It is unavailable already, so it does not count against the limit.
      broken.push(pair.old);
      unavailable++;
    }
  }
  return {
    nodes: [],
    remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))],
  };
}

function surgingMoves(rollout: Rollout, maxSurge: number, wanted: number): PodMoves {
  const patience = patienceOf(rollout);
  const remove: Pod[] = [];
  const leaving: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const node of rollout.nodes) {
    const pair = pairOn(node, rollout);
    if (pair === undefined) {
      surging++;
      continue;
    }
    const { fresh, old } = pair;
    const isOldAvailable = old !== undefined && isAvailable(old, patience);
    const isFreshAvailable = fresh !== undefined && isAvailable(fresh, patience);
    if (old === undefined ? isFreshAvailable : isOldAvailable) available++;
    if (old === undefined) continue;
    if (fresh === undefined) {
      if (!node.shouldRun) (isOldAvailable ? leaving : remove).push(old);
      else (isOldAvailable ? candidates : broken).push(node.name);
    } else if (isFreshAvailable) remove.push(old);
    else surging++;
  }
  return {
    nodes: [...broken, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    // Pods on nodes that should no longer have one stay until the new pods are available.
    remove: [...remove, ...leaving.slice(0, Math.max(0, available - wanted))],
  };
}
