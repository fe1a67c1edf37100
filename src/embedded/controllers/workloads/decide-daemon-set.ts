/**
 * DaemonSet: one pod on each eligible node.
 */

import { compareBytes, jsonEqual } from '../../../base/json.ts';
import type { DaemonSet, DaemonSetStatus, Node, Pod } from '../../../kubernetes/types/index.ts';
import { daemonSet, pod as podResource } from '../../../kubernetes/types/index.ts';
import { create, remove, updateStatus, type Write } from '../writes.ts';
import { byPlaceAndAge, daemonPod, type Fit, fitOf, isUpdated, targetNode } from './daemon-pods.ts';
import { type DaemonNode, decideRollout, type PodMoves, surgeOf } from './daemon-set-rollout.ts';
import { createdMs, hasEnded, isAvailable, isReady, nextAvailableMs } from './pod-state.ts';
import { templateHash } from './template-hash.ts';

type DaemonSetSeen = {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Its pods. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
  /** Delay before a failed pod is replaced. */
  readonly failedPodMs: number;
};

type DaemonSetDecision = {
  readonly writes: readonly Write[];
  readonly lookAgainMs: number | undefined;
};

/** Limit of creations and deletions per reconcile; the rest follows once these are observed. */
const BURST = 250;

export function decideDaemonSet(seen: DaemonSetSeen): DaemonSetDecision {
  const { set, nowMs } = seen;
  if (set.metadata.deletionTimestamp !== undefined) return { writes: [], lookAgainMs: undefined };
  const hash = templateHash(set.spec.template, set.status?.collisionCount);
  const nodes = nodesOf(seen);
  const now = decidePresence(seen, nodes, hash);
  const isPresent = now.nodes.length + now.remove.length === 0;
  const moves = isPresent ? decideRollout({ set, hash, nodes: nodes.filter(isConcerned), nowMs }) : now;
  const status = daemonSetStatus(seen, nodes, hash);
  const patience = { minReadySeconds: set.spec.minReadySeconds, nowMs };
  const waits = [now.waitMs, nextAvailableMs(seen.pods, patience)].filter((wait) => wait !== undefined);
  return {
    writes: [
      ...moves.nodes.slice(0, BURST).map((name) => create(podResource, daemonPod(set, name, hash))),
      ...moves.remove.slice(0, BURST).map((one) => remove(podResource, one)),
      ...(jsonEqual(status, set.status ?? {}) ? [] : [updateStatus(daemonSet, { ...set, status })]),
    ],
    lookAgainMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

type Place = DaemonNode & Fit & { readonly isThere: boolean };

function isConcerned({ shouldRun, pods }: Place): boolean {
  return shouldRun || pods.length > 0;
}

/** Nodes by name, including deleted ones with pods. */
function nodesOf({ set, nodes, pods }: DaemonSetSeen): readonly Place[] {
  const onNode = new Map<string, Pod[]>();
  for (const one of pods) {
    const name = targetNode(one);
    // Terminated pods that are being deleted no longer count.
    if (name === undefined || (hasEnded(one) && one.metadata.deletionTimestamp !== undefined)) continue;
    const there = onNode.get(name);
    if (there === undefined) onNode.set(name, [one]);
    else there.push(one);
  }
  const thinkOf = fitOf(set);
  const known = nodes.map((node): Place => {
    const { name } = node.metadata;
    return { name, isThere: true, pods: onNode.get(name) ?? [], ...thinkOf(node) };
  });
  for (const { name } of known) onNode.delete(name);
  const gone = [...onNode].map(
    ([name, left]): Place => ({ name, isThere: false, pods: left, shouldRun: false, mayStay: false }),
  );
  return [...known, ...gone].toSorted((a, b) => compareBytes(a.name, b.name));
}

type Presence = PodMoves & { readonly waitMs: number | undefined };

/** Nodes without their pod, and pods that should not exist. */
function decidePresence(seen: DaemonSetSeen, nodes: readonly Place[], hash: string): Presence {
  const missing: string[] = [];
  const surplus: Pod[] = [];
  let waitMs: number | undefined;
  for (const place of nodes) {
    const staying = place.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (!place.isThere) {
      // Bound pods of deleted nodes are left to pod garbage collection; unbound ones would never run.
      surplus.push(...place.pods.filter(({ spec }) => (spec.nodeName ?? '') === ''));
    } else if (place.shouldRun && place.pods.length === 0) missing.push(place.name);
    else if (!place.mayStay) surplus.push(...staying);
    else {
      const waits = staying.map((one) => failureWaitMs(one, seen));
      const failed = staying.filter((_, index) => waits[index] === 0);
      const running = staying.filter((one) => !hasEnded(one));
      waitMs = earlier(waitMs, waits);
      surplus.push(...failed, ...tooMany(running, seen, hash));
      const isReplacing = surgeOf(seen.set, 1) > 0 && running.length === 0 && place.shouldRun;
      if (isReplacing) missing.push(place.name);
    }
  }
  return { nodes: missing, remove: surplus, waitMs };
}

/** Remaining delay before a failed pod is deleted; undefined for running ones. */
function failureWaitMs(one: Pod, { nowMs, failedPodMs }: DaemonSetSeen): number | undefined {
  if (!hasEnded(one)) return undefined;
  if (one.status?.phase === 'Succeeded') return 0;
  return Math.max(0, (createdMs(one) ?? 0) + failedPodMs - nowMs);
}

function earlier(waitMs: number | undefined, waits: readonly (number | undefined)[]): number | undefined {
  const all = [waitMs, ...waits].flatMap((wait) => (wait === undefined || wait === 0 ? [] : [wait]));
  return all.length === 0 ? undefined : Math.min(...all);
}

/** One pod per node, or with maxSurge an available old one and a new one that is not available yet. */
function tooMany(running: readonly Pod[], { set, nowMs }: DaemonSetSeen, hash: string): readonly Pod[] {
  const sorted = byPlaceAndAge(running);
  if (surgeOf(set, 1) === 0 || sorted.length <= 1) return sorted.slice(1);
  const [fresh, ...moreFresh] = sorted.filter((one) => isUpdated(one, set, hash));
  const [old, ...moreOld] = sorted.filter((one) => !isUpdated(one, set, hash));
  const patience = { minReadySeconds: set.spec.minReadySeconds, nowMs };
  const isReplaced =
    fresh !== undefined && old !== undefined && (!isReady(old) || isAvailable(fresh, patience));
  return [...moreFresh, ...moreOld, ...(isReplaced ? [old] : [])];
}

function daemonSetStatus(
  { set, nowMs }: DaemonSetSeen,
  nodes: readonly Place[],
  hash: string,
): DaemonSetStatus {
  const patience = { minReadySeconds: set.spec.minReadySeconds, nowMs };
  const there = nodes.filter(({ isThere }) => isThere);
  const wanted = there.filter(({ shouldRun }) => shouldRun);
  const first = wanted.flatMap(({ pods }) => byPlaceAndAge(pods).slice(0, 1));
  const available = first.filter((one) => isAvailable(one, patience)).length;
  const updated = first.filter((one) => isUpdated(one, set, hash)).length;
  const { collisionCount, conditions } = set.status ?? {};
  const unavailable = wanted.length - available;
  return {
    currentNumberScheduled: first.length,
    numberMisscheduled: there.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: first.filter(isReady).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
    ...(available === 0 ? {} : { numberAvailable: available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}
