/**
 * How many pods of a job have succeeded and failed. Each pod is counted once, although it may be deleted at any time and
 * we may stop at any time:
 *
 *     pod ends ──> its uid is in the status ──> its finalizer is taken off ──> it is in the count, and its uid no longer
 */
import type { Job, JobStatus, Pod } from '../../../kubernetes/types/index.ts';
import { hasFailed, hasSucceeded, isTracked } from './job-pods.ts';

export type Tally = {
  /** What is in the counts for good. */
  readonly succeeded: number;
  readonly failed: number;
  /** Uids of what is about to be counted. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Pods that are noted and may go. */
  readonly release: readonly Pod[];
  /** Whether pods have ended that are not even noted: they have to wait for the next round. */
  readonly isPartial: boolean;
};

/** More uids make the status too large. */
const MAX_UNCOUNTED = 500;

/** `countsAsFailed`: of pods that have not ended, those that will not be waited for. */
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

/** With what is about to be counted. */
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
