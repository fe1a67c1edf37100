/**
 * Counts succeeded and failed pods of a Job exactly once, although pods may be deleted and the process may stop at any time:
 *
 *     pod ends ──> UID in uncountedTerminatedPods ──> finalizer removed ──> counted, UID removed
 */
import type { Job, JobStatus, Pod } from '../../../kubernetes/types/index.ts';
import { hasFailed, hasSucceeded, isTracked } from './job-pods.ts';

export type Tally = {
  /** Final counts. */
  readonly succeeded: number;
  readonly failed: number;
  /** UIDs of pods about to be counted. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Recorded pods whose finalizer can be removed. */
  readonly release: readonly Pod[];
  /** Whether further pods wait to be recorded. */
  readonly isPartial: boolean;
};

/** Limits the size of the status. */
const MAX_UNCOUNTED = 500;

/** `countsAsFailed` selects unfinished pods that are not waited for. */
export function tallyOf(job: Job, pods: readonly Pod[], countsAsFailed: (pod: Pod) => boolean): Tally {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: noted = {} } = job.status ?? {};
  const tracked = pods.filter(isTracked);
  const held = new Set(tracked.map(uidOf));
  const stillNoted = (uids: readonly string[] = []): readonly string[] => uids.filter((uid) => held.has(uid));
  const before = { succeeded: stillNoted(noted.succeeded), failed: stillNoted(noted.failed) };
  const known = new Set([...before.succeeded, ...before.failed]);
  const ended = tracked.filter(
    (pod) => hasSucceeded(pod) || hasFailed(pod, job) || (countsAsFailed(pod) && !known.has(uidOf(pod))),
  );
  const fresh = ended.filter((pod) => !known.has(uidOf(pod)));
  const taken = fresh.slice(0, Math.max(0, MAX_UNCOUNTED - known.size));
  const uids = (fits: boolean): readonly string[] =>
    taken.filter((pod) => hasSucceeded(pod) === fits).map(uidOf);
  return {
    succeeded: succeeded + (noted.succeeded ?? []).length - before.succeeded.length,
    failed: failed + (noted.failed ?? []).length - before.failed.length,
    uncounted: {
      succeeded: [...before.succeeded, ...uids(true)],
      failed: [...before.failed, ...uids(false)],
    },
    release: [...tracked.filter((pod) => known.has(uidOf(pod))), ...taken],
    isPartial: taken.length < fresh.length,
  };
}

/** Includes pods about to be counted. */
export function totalOf({ succeeded, failed, uncounted }: Tally): {
  readonly succeeded: number;
  readonly failed: number;
} {
  return {
    succeeded: succeeded + uncounted.succeeded.length,
    failed: failed + uncounted.failed.length,
  };
}

export function uncountedStatus({ uncounted }: Tally): NonNullable<JobStatus['uncountedTerminatedPods']> {
  const { succeeded, failed } = uncounted;
  return {
    ...(succeeded.length === 0 ? {} : { succeeded }),
    ...(failed.length === 0 ? {} : { failed }),
  };
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
