/**
 * What controllers ask of a pod: does it count, is it ready, for how long already.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { Pod, PodCondition } from '../../../kubernetes/types/index.ts';

/** Neither ended nor about to. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** About to go, and not ended yet. */
export function isTerminating(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** Since when it is ready; undefined where it is not, or nobody knows. */
export function readySinceMs(pod: Pod): number | undefined {
  return isReady(pod) ? parseTimestamp(readyCondition(pod)?.lastTransitionTime) : undefined;
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** For how long a pod must be ready, and what time it is. */
export type Patience = { readonly minReadySeconds: number | undefined; readonly nowMs: number };

/** Ready for long enough. */
export function isAvailable(pod: Pod, patience: Patience): boolean {
  return isReady(pod) && untilAvailableMs(pod, patience) === 0;
}

/** How long a ready pod still has to be so; Infinity for one that is not. */
export function untilAvailableMs(pod: Pod, { minReadySeconds = 0, nowMs }: Patience): number {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds === 0) return 0;
  const since = readySinceMs(pod);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, since + minReadySeconds * 1000 - nowMs);
}

/** The shortest wait after which another of the pods is available; undefined where waiting alone changes nothing. */
export function nextAvailableMs(pods: readonly Pod[], patience: Patience): number | undefined {
  const waits = pods
    .map((pod) => untilAvailableMs(pod, patience))
    .filter((wait) => wait > 0 && Number.isFinite(wait));
  return waits.length === 0 ? undefined : Math.min(...waits);
}

export function createdMs({ metadata }: Pod): number | undefined {
  return parseTimestamp(metadata.creationTimestamp);
}
