/**
 * The end of a Job: first SuccessCriteriaMet or FailureTarget, then, once all pods are counted, Complete or Failed.
 */

import { formatTimestamp, parseTimestamp } from '../../../base/text/index.ts';
import type { Job, JobStatus, Pod } from '../../../kubernetes/types/index.ts';
import { restartsOf } from './job-pods.ts';

type JobCondition = NonNullable<JobStatus['conditions']>[number];

export type End = {
  readonly kind: 'failure' | 'success';
  readonly reason: string;
  readonly message: string;
};

export const REACHED: End = {
  kind: 'success',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

const TARGETS = { failure: 'FailureTarget', success: 'SuccessCriteriaMet' } as const;
const FINALS = { failure: 'Failed', success: 'Complete' } as const;

function conditionOf({ status }: Job, type: string): JobCondition | undefined {
  return status?.conditions?.find((one) => one.type === type && one.status === 'True');
}

/** When it finished; undefined if it has not. */
export function endedMs(job: Job): number | undefined {
  const final = conditionOf(job, FINALS.success) ?? conditionOf(job, FINALS.failure);
  return final === undefined ? undefined : (parseTimestamp(final.lastTransitionTime) ?? 0);
}

/** The outcome decided earlier, which is final. */
export function knownEnd(job: Job): End | undefined {
  for (const kind of ['success', 'failure'] as const) {
    const target = conditionOf(job, TARGETS[kind]);
    if (target !== undefined) return { kind, reason: target.reason ?? '', message: target.message ?? '' };
  }
  return undefined;
}

type Failing = {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly failed: number;
  readonly nowMs: number;
};

export function failureOf({ job, pods, failed, nowMs }: Failing): End | undefined {
  const unknown = unknownField(job);
  if (unknown !== undefined) {
    return failure('NotSupported', `This cluster only simulates jobs, and does not know ${unknown}`);
  }
  const { backoffLimit = DEFAULT_BACKOFF_LIMIT, template } = job.spec;
  const restarts = template.spec.restartPolicy === 'OnFailure' ? restartsOf(pods) : 0;
  const isTooOften = backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
  if (failed > backoffLimit || isTooOften) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadlineMs = deadlineOf(job);
  if (deadlineMs === undefined || nowMs < deadlineMs) return undefined;
  return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
}

const DEFAULT_BACKOFF_LIMIT = 6;

function failure(reason: string, message: string): End {
  return { kind: 'failure', reason, message };
}

/** Unsupported fields that would change the semantics: the Job fails with a message instead. */
function unknownField({ spec }: Job): string | undefined {
  if (spec.completionMode === 'Indexed') return 'spec.completionMode: Indexed';
  const fields = ['podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex'] as const;
  const found = fields.find((field) => spec[field] !== undefined);
  return found === undefined ? undefined : `spec.${found}`;
}

/** The end of activeDeadlineSeconds; undefined without one, or while suspended. */
export function deadlineOf({ spec, status }: Job): number | undefined {
  const startMs = parseTimestamp(status?.startTime);
  const { activeDeadlineSeconds: seconds, suspend } = spec;
  return seconds === undefined || startMs === undefined || suspend === true
    ? undefined
    : startMs + seconds * 1000;
}

/** The conditions of the outcome. */
export function withEnd(
  conditions: readonly JobCondition[],
  { kind, reason, message }: End,
  { nowMs, isReached }: { readonly nowMs: number; readonly isReached: boolean },
): readonly JobCondition[] {
  const outcome = { status: 'True', reason, message };
  const targeted = withCondition(conditions, { type: TARGETS[kind], ...outcome }, nowMs);
  return isReached ? withCondition(targeted, { type: FINALS[kind], ...outcome }, nowMs) : targeted;
}

type ConditionUpdate = Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>;

/** A False condition is written only if it was True before. */
export function withCondition(
  conditions: readonly JobCondition[],
  update: ConditionUpdate,
  nowMs: number,
): readonly JobCondition[] {
  const before = conditions.find(({ type }) => type === update.type);
  const isCurrent = before === undefined ? update.status === 'False' : isSame(before, update);
  if (isCurrent) return conditions;
  const now = formatTimestamp(nowMs);
  const renewed = { ...update, lastProbeTime: now, lastTransitionTime: now };
  if (before === undefined) return [...conditions, renewed];
  return conditions.map((one) => (one === before ? renewed : one));
}

function isSame(before: JobCondition, update: ConditionUpdate): boolean {
  return (
    before.status === update.status && before.reason === update.reason && before.message === update.message
  );
}
