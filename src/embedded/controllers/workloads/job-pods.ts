/**
 * Pods of a job: what they say about its work, and the finalizer that keeps them until that is noted.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { Job, Pod } from '../../../kubernetes/types/index.ts';
import { isReady, readyCondition } from './pod-state.ts';

/** Holds a pod until the job has counted it, so that none is counted twice or never. */
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

/** A pod that is removed counts as failed, unless the job says that it waits for the end of each. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (replacesOnlyFailed(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && !hasSucceeded(pod);
}

export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** When the pod came to its end, as well as that can be known. */
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

/** How often the containers of pods that still run were started again. */
export function restartsOf(pods: readonly Pod[]): number {
  return pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
}
