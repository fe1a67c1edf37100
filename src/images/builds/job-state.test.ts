import { describe, expect, test } from 'vitest';
import type { Job } from '../../kubernetes/types/index.ts';
import { jobState } from './job-state.ts';

type Status = {
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly uncountedTerminatedPods?: object;
  readonly conditions?: readonly object[];
};

const job = (status: Status | undefined, isDeleting: boolean) =>
  ({
    metadata: { name: 'build-b', ...(isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    ...(status === undefined ? {} : { status }),
  }) as unknown as Job;

const complete = [{ type: 'Complete', status: 'True' }];
const failedCondition = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }];
const deadline = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }];
const criteriaMet = [{ type: 'SuccessCriteriaMet', status: 'True' }];
const suspended = [{ type: 'Suspended', status: 'False' }];

describe('jobState', () => {
  // biome-ignore format: a table, one row per line
  test.each([
    // Nothing has happened yet.
    [undefined, 'Prepared'],
    [{}, 'Prepared'],
    [{ active: 0, succeeded: 0, failed: 0 }, 'Prepared'],
    [{ conditions: suspended }, 'Prepared'],
    // A pod exists, or existed.
    [{ active: 1 }, 'Building'],
    [{ uncountedTerminatedPods: {} }, 'Building'],
    [{ uncountedTerminatedPods: { failed: ['u'] } }, 'Building'],
    [{ active: 1, failed: 1 }, 'Building'],
    [{ failed: 1 }, 'Building'],
    [{ failed: 2 }, 'Building'],
    [{ failed: 3 }, 'Building'],
    [{ active: 1, failed: 3 }, 'Building'],
    // All attempts are used up, or the deadline has passed.
    [{ failed: 4 }, 'Failed'],
    [{ failed: 5 }, 'Failed'],
    [{ failed: 4, conditions: failedCondition }, 'Failed'],
    [{ failed: 1, conditions: deadline }, 'Failed'],
    [{ conditions: deadline }, 'Failed'],
    [{ failed: 3, active: 1, conditions: deadline }, 'Failed'],
    // One pod has succeeded.
    [{ succeeded: 1 }, 'Succeeded'],
    [{ succeeded: 1, conditions: [] }, 'Succeeded'],
    [{ succeeded: 1, conditions: complete }, 'Succeeded'],
    [{ succeeded: 1, failed: 2, conditions: complete }, 'Succeeded'],
    [{ succeeded: 1, failed: 3 }, 'Succeeded'],
    [{ succeeded: 1, conditions: criteriaMet }, 'Building'],
    [{ succeeded: 1, conditions: failedCondition }, 'Failed'],
  ] as const)('a Job with the status %j is %s', (status, expected) => {
    expect(jobState(job(status as Status | undefined, false))).toBe(expected);
  });

  // biome-ignore format: a table, one row per line
  test.each([
    [undefined, 'Interrupted'],
    [{ active: 1 }, 'Interrupted'],
    [{ failed: 3 }, 'Interrupted'],
    [{ uncountedTerminatedPods: {} }, 'Interrupted'],
    [{ failed: 4 }, 'Failed'],
    [{ failed: 4, conditions: failedCondition }, 'Failed'],
    [{ succeeded: 1 }, 'Succeeded'],
    [{ succeeded: 1, conditions: complete }, 'Succeeded'],
  ] as const)('a Job that is being deleted with the status %j is %s', (status, expected) => {
    expect(jobState(job(status as Status | undefined, true))).toBe(expected);
  });
});
