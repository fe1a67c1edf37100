/**
 * Job: runs pods until enough have succeeded or too many have failed.
 */

import { jsonEqual } from '../../../base/json.ts';
import { formatTimestamp } from '../../../base/text/index.ts';
import type { Job, JobStatus, Pod } from '../../../kubernetes/types/index.ts';
import { job as jobResource, pod as podResource } from '../../../kubernetes/types/index.ts';
import { create, patchMetadata, remove, updateStatus, type Write } from '../writes.ts';
import {
  deadlineOf,
  type End,
  endedMs,
  failureOf,
  knownEnd,
  REACHED,
  withCondition,
  withEnd,
} from './job-end.ts';
import {
  finishedMs,
  hasSucceeded,
  isTracked,
  replacesOnlyFailed,
  TRACKING,
  withoutTracking,
} from './job-pods.ts';
import { type Tally, tallyOf, totalOf, uncountedStatus } from './job-tally.ts';
import { controllerReference } from './ownership.ts';
import { podFromTemplate } from './pod-from-template.ts';
import { isActive, isReady, isTerminating } from './pod-state.ts';
import { podsToRemove } from './pods-to-remove.ts';

type JobSeen = {
  readonly job: Job;
  /** All its pods. */
  readonly pods: readonly Pod[];
  /** Failure times of pods, including deleted ones. */
  readonly failuresMs: readonly number[];
  readonly nowMs: number;
  /** Initial backoff, doubled after each failure up to the limit. */
  readonly backoffMs: number;
  readonly backoffLimitMs: number;
};

type JobDecision = {
  readonly writes: readonly Write[];
  readonly lookAgainMs: number | undefined;
};

const OURS = 'kubernetes.io/job-controller';
/** Limit of creations and deletions per reconcile; the rest follows once these are observed. */
export const BURST = 500;

/** Jobs with `spec.managedBy` belong to another controller. */
export function isOurs({ spec }: Job): boolean {
  return (spec.managedBy ?? OURS) === OURS;
}

export function decideJob(seen: JobSeen): JobDecision {
  const { job } = seen;
  const finishedAt = endedMs(job);
  return finishedAt === undefined ? decideRunning(seen) : decideFinished(seen, finishedAt);
}

/** `ttlSecondsAfterFinished`. */
function decideFinished({ job, nowMs }: JobSeen, finishedAt: number): JobDecision {
  const seconds = job.spec.ttlSecondsAfterFinished;
  if (seconds === undefined || job.metadata.deletionTimestamp !== undefined) {
    return { writes: [], lookAgainMs: undefined };
  }
  const leftMs = finishedAt + seconds * 1000 - nowMs;
  if (leftMs > 0) return { writes: [], lookAgainMs: leftMs };
  return { writes: [remove(jobResource, job, 'Foreground')], lookAgainMs: undefined };
}

function decideRunning(seen: JobSeen): JobDecision {
  const { job, pods, nowMs } = seen;
  const counted = totalOf(tallyOf(job, pods, () => false));
  const planned = knownEnd(job) ?? failureOf({ job, pods, failed: counted.failed, nowMs });
  const work = planned === undefined ? workOf(seen, counted) : endingWork(pods);
  const end = planned ?? (isDone(seen, counted, work) ? REACHED : undefined);
  // Pods deleted by a failed Job count as failed at once.
  const tally = tallyOf(job, pods, () => end?.kind === 'failure');
  const status = jobStatus(seen, { work, end, tally });
  // The Job is being deleted, so its counts no longer matter.
  const isTerminating = job.metadata.deletionTimestamp !== undefined;
  const release = isTerminating || end !== undefined ? pods.filter(isTracked) : tally.release;
  const deadlineMs = end === undefined ? deadlineOf({ ...job, status }) : undefined;
  const waits = [work.waitMs, deadlineMs === undefined ? undefined : deadlineMs - nowMs];
  return {
    // Uncounted pods must be recorded before their finalizers are removed.
    writes: [
      ...(jsonEqual(status, job.status ?? {}) ? [] : [updateStatus(jobResource, { ...job, status })]),
      ...[...new Set([...work.discard.filter(isTracked), ...release])].map(released),
      ...[...work.discard, ...work.remove].map((one) => remove(podResource, one)),
      ...Array.from({ length: work.create }, () => create(podResource, jobPod(job))),
    ],
    lookAgainMs: earliest(waits),
  };
}

/** Changes to the pods of the Job. */
type Work = {
  readonly create: number;
  /** Surplus pods: deleted without being counted. */
  readonly discard: readonly Pod[];
  /** Deleted because the Job ends. */
  readonly remove: readonly Pod[];
  /** The remaining backoff. */
  readonly waitMs: number | undefined;
};

const idle: Work = { create: 0, discard: [], remove: [], waitMs: undefined };

function endingWork(pods: readonly Pod[]): Work {
  return { ...idle, remove: pods.filter(isActive) };
}

type Counted = { readonly succeeded: number; readonly failed: number };

function workOf(seen: JobSeen, counted: Counted): Work {
  const { job, pods, nowMs } = seen;
  if (job.metadata.deletionTimestamp !== undefined) return idle;
  const active = pods.filter(isActive);
  const wanted = wantedActive(job, active.length, counted.succeeded);
  if (wanted < active.length) {
    const count = Math.min(active.length - wanted, BURST);
    return { ...idle, discard: podsToRemove({ pods: active, count, related: [], nowMs }) };
  }
  const leaving = replacesOnlyFailed(job) ? pods.filter(isTerminating).length : 0;
  const missing = Math.min(wanted - active.length - leaving, BURST);
  if (missing <= 0) return idle;
  const waitMs = backoffLeftMs(seen);
  return waitMs > 0 ? { ...idle, waitMs } : { ...idle, create: missing };
}

function wantedActive({ spec }: Job, active: number, succeeded: number): number {
  const { parallelism = 1, completions, suspend } = spec;
  if (suspend === true) return 0;
  // Without completions the first success completes the Job, and the other pods finish.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** The remaining backoff, by the number of failures since the last success. */
function backoffLeftMs({ pods, failuresMs, nowMs, backoffMs, backoffLimitMs }: JobSeen): number {
  const lastSuccess = Math.max(0, ...pods.filter(hasSucceeded).map(finishedMs));
  const failures = failuresMs.filter((at) => at > lastSuccess);
  if (failures.length === 0) return 0;
  const delayMs = Math.min(backoffLimitMs, backoffMs * 2 ** (failures.length - 1));
  return Math.max(0, Math.max(...failures) + delayMs - nowMs);
}

function isDone({ job, pods }: JobSeen, { succeeded }: Counted, work: Work): boolean {
  const { completions } = job.spec;
  const active = pods.filter(isActive).length - work.discard.length + work.create;
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

type Progress = { readonly work: Work; readonly end: End | undefined; readonly tally: Tally };

function jobStatus({ job, pods, nowMs }: JobSeen, { work, end, tally }: Progress): JobStatus {
  const gone = new Set([...work.discard, ...work.remove]);
  const active = pods.filter((one) => isActive(one) && !gone.has(one));
  const terminating = pods.filter(isTerminating).length + gone.size;
  const { succeeded, failed, uncounted, isPartial } = tally;
  const isCounted = uncounted.succeeded.length + uncounted.failed.length === 0 && !isPartial;
  const isReached = isCounted && terminating === 0 && active.length === 0;
  const { conditions, startTime } = beginning(job, nowMs);
  const ended = end === undefined ? conditions : withEnd(conditions, end, { nowMs, isReached });
  const count = active.length + work.create;
  return {
    ...(count === 0 ? {} : { active: count }),
    ready: active.filter(isReady).length,
    terminating,
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(end?.kind === 'success' && isReached ? { completionTime: formatTimestamp(nowMs) } : {}),
    uncountedTerminatedPods: uncountedStatus(tally),
    ...(ended.length === 0 ? {} : { conditions: ended }),
  };
}

/** Start time and Suspended condition. Suspended time does not count for the deadline. */
function beginning(
  { spec, status }: Job,
  nowMs: number,
): Required<Pick<JobStatus, 'conditions'>> & JobStatus {
  const before = status?.conditions ?? [];
  const isSuspended = spec.suspend === true;
  const condition = isSuspended
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const conditions = withCondition(before, condition, nowMs);
  const wasSuspended = before.some(({ type, status: is }) => type === 'Suspended' && is === 'True');
  const isResumed = wasSuspended && !isSuspended;
  const known = status?.startTime;
  const startTime = isResumed || (known === undefined && !isSuspended) ? formatTimestamp(nowMs) : known;
  return { conditions, ...(startTime === undefined ? {} : { startTime }) };
}

function jobPod(job: Job): Pod {
  const { template } = job.spec;
  const finalizers = [...(template.metadata?.finalizers ?? []), TRACKING];
  const tracked = { ...template, metadata: { ...template.metadata, finalizers } };
  return podFromTemplate(job, tracked, controllerReference(jobResource, job));
}

function released(one: Pod): Write {
  return patchMetadata(podResource, one, { finalizers: withoutTracking(one) });
}

function earliest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.flatMap((wait) => (wait === undefined ? [] : [Math.max(0, wait)]));
  return known.length === 0 ? undefined : Math.min(...known);
}
