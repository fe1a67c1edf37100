/**
 * Pods of a Job: their results, and the tracking finalizer that keeps them until they are counted.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { Job, Pod } from '../../../kubernetes/types/index.ts';
import { isReady, readyCondition } from './pod-state.ts';

/** Keeps a pod until the Job has counted it exactly once. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) === true;
}

export function withoutTracking({ metadata }: Pod): readonly string[] {
  return (metadata.finalizers ?? []).filter((one) => one !== TRACKING);
}

export function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}

/** A terminating pod counts as failed, unless podReplacementPolicy is Failed. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (replacesOnlyFailed(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && !hasSucceeded(pod);
}

export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** The best known finish time of the pod. */
export function finishedMs(pod: Pod): number {
  const { metadata, status } = pod;
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    parseTimestamp(state?.terminated?.finishedAt),
  );
  const known = ends.flatMap((end) => (end === undefined ? [] : [end]));
  if (known.length > 0 && known.length === ends.length) return Math.max(...known);
  const unready = isReady(pod) ? undefined : parseTimestamp(readyCondition(pod)?.lastTransitionTime);
  const deleted = parseTimestamp(metadata.deletionTimestamp);
  const asked =
    deleted === undefined ? undefined : deleted - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return unready ?? asked ?? parseTimestamp(metadata.creationTimestamp) ?? 0;
}

/** Container restarts of running pods. */
export function restartsOf(pods: readonly Pod[]): number {
  return pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
}
