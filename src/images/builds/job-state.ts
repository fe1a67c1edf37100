/**
 * What follows from the Job of a build for the state of the build.
 */
import { numberAt, objectAt, valueAt } from '../../base/json-fields.ts';
import { conditionOf } from '../../kubernetes/meta/index.ts';
import type { Job } from '../../kubernetes/types/index.ts';
import type { BuildState } from '../../rollout/index.ts';

/** A Job makes this many more attempts after the first one. */
export const JOB_BACKOFF_LIMIT = 3;

/** The order of the rules counts. Failed pods below the limit are attempts of a build that goes on. */
export function jobState(job: Job): BuildState {
  const { status } = job;
  const active = numberAt(status, 'active');
  const succeeded = numberAt(status, 'succeeded');
  const failed = numberAt(status, 'failed');
  const mayRetry = failed <= JOB_BACKOFF_LIMIT;
  if (job.metadata?.deletionTimestamp !== undefined && succeeded === 0 && mayRetry) return 'Interrupted';
  // The deadline of a Job ends it below the number of attempts, even where no pod could be created.
  if (isTrue(job, 'Failed')) return 'Failed';
  // A pod that has ended and is not counted yet means that the build has begun.
  const hasUncounted = objectAt(status, 'uncountedTerminatedPods') !== undefined;
  if (active === 0 && succeeded === 0 && failed === 0 && !hasUncounted) return 'Prepared';
  if (succeeded === 0 && mayRetry) return 'Building';
  if (succeeded > 0) {
    const conditions = valueAt(status, 'conditions');
    const hasConditions = Array.isArray(conditions) && conditions.length > 0;
    return !hasConditions || isTrue(job, 'Complete') ? 'Succeeded' : 'Building';
  }
  return 'Failed';
}

function isTrue(job: Job, type: string): boolean {
  return conditionOf(job, type)?.status === 'True';
}
