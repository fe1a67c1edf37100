/**
 * Predicates about pods: active, terminated, ready, available.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { Pod, PodCondition } from '../../../kubernetes/types/index.ts';

/** Neither terminated nor terminating. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted and not terminated yet. */
export function isTerminating(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** When it became ready; undefined if not ready or unknown. */
export function readySinceMs(pod: Pod): number | undefined {
  return isReady(pod) ? parseTimestamp(readyCondition(pod)?.lastTransitionTime) : undefined;
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** minReadySeconds and the current time. */
export type Patience = { readonly minReadySeconds: number | undefined; readonly nowMs: number };

/** Ready for at least minReadySeconds. */
export function isAvailable(pod: Pod, patience: Patience): boolean {
  return isReady(pod) && untilAvailableMs(pod, patience) === 0;
}

/** Time until a ready pod is available; Infinity if not ready. */
export function untilAvailableMs(pod: Pod, { minReadySeconds = 0, nowMs }: Patience): number {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds === 0) return 0;
  const since = readySinceMs(pod);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, since + minReadySeconds * 1000 - nowMs);
}

/** Time until the next pod becomes available; undefined if none will by waiting alone. */
export function nextAvailableMs(pods: readonly Pod[], patience: Patience): number | undefined {
  const waits = pods
    .map((pod) => untilAvailableMs(pod, patience))
    .filter((wait) => wait > 0 && Number.isFinite(wait));
  return waits.length === 0 ? undefined : Math.min(...waits);
}

export function createdMs({ metadata }: Pod): number | undefined {
  return parseTimestamp(metadata.creationTimestamp);
}
