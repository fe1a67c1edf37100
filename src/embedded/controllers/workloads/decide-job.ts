/**
 * Job: pods until enough of them have succeeded, or too many failed.
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
  /** Its pods, whatever they do. */
  readonly pods: readonly Pod[];
  /** When pods have failed, also such as are gone by now. */
  readonly failuresMs: readonly number[];
  readonly nowMs: number;
  /** How long to wait after a failure; twice as long after the next, up to the limit. */
  readonly backoffMs: number;
  readonly backoffLimitMs: number;
};

type JobDecision = {
  readonly writes: readonly Write[];
  readonly lookAgainMs: number | undefined;
};

const OURS = 'kubernetes.io/job-controller';
/** No more are made or removed at once; the rest follows when these are seen. */
export const BURST = 500;

/** Jobs may name another controller, which alone may touch them then. */
export function isOurs({ spec }: Job): boolean {
  return (spec.managedBy ?? OURS) === OURS;
}

export function decideJob(seen: JobSeen): JobDecision {
  const { job } = seen;
  const finishedAt = endedMs(job);
  return finishedAt === undefined ? decideRunning(seen) : decideFinished(seen, finishedAt);
}

/** A job that has ended is kept for as long as it says. */
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
  // Pods that a failed job removes will not be heard of again.
  const tally = tallyOf(job, pods, () => end?.kind === 'failure');
  const status = jobStatus(seen, { work, end, tally });
  // The job itself is on its way: nobody reads its counts any more.
  const isTerminating = job.metadata.deletionTimestamp !== undefined;
  const release = isTerminating || end !== undefined ? pods.filter(isTracked) : tally.release;
  const deadlineMs = end === undefined ? deadlineOf({ ...job, status }) : undefined;
  const waits = [work.waitMs, deadlineMs === undefined ? undefined : deadlineMs - nowMs];
  return {
    // What is noted must be kept before anything follows from it.
    writes: [
      ...(jsonEqual(status, job.status ?? {}) ? [] : [updateStatus(jobResource, { ...job, status })]),
      ...[...new Set([...work.discard.filter(isTracked), ...release])].map(released),
      ...[...work.discard, ...work.remove].map((one) => remove(podResource, one)),
      ...Array.from({ length: work.create }, () => create(podResource, jobPod(job))),
    ],
    lookAgainMs: earliest(waits),
  };
}

/** What is to be done with pods. */
type Work = {
  readonly create: number;
  /** Too many: they are removed and count for nothing. */
  readonly discard: readonly Pod[];
  /** Removed because the job ends. */
  readonly remove: readonly Pod[];
  /** How long a failure still has to be waited out. */
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
  // Without a number, the first success says that the work is done, and the others come to their own end.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** How long since the last failure it is still too early, by how many failures there were since the last success. */
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

/** Since when the job runs, and whether it waits. Time that it waits does not count. */
function beginning(
  { spec, status }: Job,
  nowMs: number,
): Required<Pick<JobStatus, 'conditions'>> & JobStatus {
  const before = status?.conditions ?? [];
  const isSuspended = spec.suspend === true;
  const said = isSuspended
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const conditions = withCondition(before, said, nowMs);
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
