import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { jobStatusProblems } from './job-status.ts';

const plain = { completions: 1, parallelism: 1, completionMode: 'NonIndexed', suspend: false };
const indexed = { completions: 5, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 };
const conditions = (...types: string[]): JsonObject => ({
  conditions: types.map((type) => ({ type, status: 'True' })),
});
const started = { startTime: '2024-01-02T00:00:00Z' };
const complete = {
  ...started,
  completionTime: '2024-01-03T00:00:00Z',
  succeeded: 1,
  ...conditions('SuccessCriteriaMet', 'Complete'),
};

/** The problems of a status update. */
function causes(status: JsonObject, before: JsonObject = {}, spec: JsonObject = plain): readonly string[] {
  return jobStatusProblems({ spec, status }, { spec, status: before }).map(causeText);
}
const aboutConditions = (text: string) => `status.conditions FieldValueInvalid: Invalid value: ${text}`;

describe('the validation of job status', () => {
  it('accepts a completed job', () => {
    expect(causes(complete)).toEqual([]);
    expect(causes({ ...started, ...conditions('FailureTarget', 'Failed') })).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'negative counts',
      { active: -1, ready: -2 },
      [
        'status.active FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
        'status.ready FieldValueInvalid: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [
      'empty and duplicate uncounted pods',
      { uncountedTerminatedPods: { succeeded: ['', 'a', 'a'], failed: ['a'] } },
      [
        'status.uncountedTerminatedPods.succeeded[0] FieldValueInvalid: Invalid value: "": must not be empty',
        'status.uncountedTerminatedPods.succeeded[2] FieldValueDuplicate: Duplicate value: "a"',
        'status.uncountedTerminatedPods.failed[0] FieldValueDuplicate: Duplicate value: "a"',
      ],
    ],
    [
      'Complete without SuccessCriteriaMet',
      conditions('Complete'),
      [
        'status.completionTime FieldValueRequired: Required value: completionTime is required for Complete jobs',
        aboutConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
        'status.startTime FieldValueRequired: Required value: startTime is required for finished job',
      ],
    ],
    [
      'Failed without FailureTarget',
      { ...started, ...conditions('Failed') },
      [aboutConditions('cannot set Failed=True condition without the FailureTarget=true condition')],
    ],
    [
      'both Complete and Failed',
      { ...complete, ...conditions('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed') },
      [
        aboutConditions('cannot set Complete=True and Failed=true conditions'),
        aboutConditions('cannot set Complete=True and FailureTarget=true conditions'),
        aboutConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions'),
        aboutConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'),
      ],
    ],
    [
      'a completion time before the start time of an unfinished job',
      { ...started, completionTime: '2024-01-01T00:00:00Z' },
      [
        'status.completionTime FieldValueInvalid: Invalid value: 2024-01-01 00:00:00 +0000 UTC: cannot set completionTime when there is no Complete=True condition',
        'status.completionTime FieldValueInvalid: Invalid value: 2024-01-01 00:00:00 +0000 UTC: completionTime cannot be set before startTime',
      ],
    ],
    [
      'active pods of a finished job',
      { ...complete, active: 3, terminating: 2, uncountedTerminatedPods: { succeeded: ['a'] } },
      [
        'status.active FieldValueInvalid: Invalid value: 3: active>0 is invalid for finished job',
        'status.uncountedTerminatedPods FieldValueInvalid: Invalid value: batch.UncountedTerminatedPods{Succeeded:[]types.UID{"a"}, Failed:[]types.UID(nil)}: uncountedTerminatedPods needs to be empty for finished job',
        'status.terminating FieldValueInvalid: Invalid value: 2: terminating>0 is invalid for finished job',
      ],
    ],
    [
      'indexes of a job without indexes',
      { completedIndexes: '0', failedIndexes: '0' },
      [
        'status.completedIndexes FieldValueInvalid: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
        'status.failedIndexes FieldValueInvalid: Invalid value: "0": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
        'status.failedIndexes FieldValueInvalid: Invalid value: "0": failedIndexes and completedIndexes overlap at index: 0',
      ],
    ],
    [
      'more ready pods than active ones',
      { active: 1, ready: 3 },
      ['status.ready FieldValueInvalid: Invalid value: 3: cannot set more ready pods than active'],
    ],
  ])('rejects %s', (_, status, found) => {
    expect(causes(status)).toEqual(found);
  });

  it('requires valid indexes without duplicates', () => {
    expect(causes({ completedIndexes: '0-1', failedIndexes: '2' }, {}, indexed)).toEqual([]);
    expect(causes({ completedIndexes: '0-2', failedIndexes: '2,4' }, {}, indexed)).toEqual([
      'status.failedIndexes FieldValueInvalid: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2',
    ]);
    expect(causes({ completedIndexes: '9', failedIndexes: 'x' }, {}, indexed)).toEqual([
      'status.completedIndexes FieldValueInvalid: Invalid value: "9": error parsing completedIndexes: too large index: "9"',
      'status.failedIndexes FieldValueInvalid: Invalid value: "x": error parsing failedIndexes: cannot convert string to integer for index: "x"',
    ]);
  });

  it('requires the policy for its success criteria', () => {
    const spec = { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } };
    expect(causes({ ...complete, ...conditions('Complete') }, {}, spec)).toEqual([
      aboutConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
      aboutConditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'),
    ]);
  });

  it('ignores existing problems', () => {
    const wrong = { ...started, ...conditions('Failed'), active: 1 };
    expect(causes({ ...wrong, failed: 1 }, wrong)).toEqual([]);
  });
});

describe('the update of a job status', () => {
  it('cannot revert terminal conditions', () => {
    expect(causes({ ...complete, ...conditions() }, complete)).toEqual([
      'status.completionTime FieldValueInvalid: Invalid value: 2024-01-03 00:00:00 +0000 UTC: cannot set completionTime when there is no Complete=True condition',
      aboutConditions('cannot disable the terminal Complete=True condition'),
      aboutConditions('cannot disable the SuccessCriteriaMet=True condition'),
    ]);
    expect(causes({ ...complete, completionTime: '2024-01-05T00:00:00Z' }, complete)).toEqual([
      'status.completionTime FieldValueInvalid: Invalid value: 2024-01-05 00:00:00 +0000 UTC: completionTime cannot be mutated',
    ]);
    const late = { ...complete, ...conditions('Complete') };
    expect(causes(complete, late)).toEqual([
      aboutConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'),
    ]);
  });

  it('cannot decrease counts, unless the job can shrink', () => {
    expect(causes({ failed: 1 }, { failed: 2, succeeded: 1 })).toEqual([
      'status.failed FieldValueInvalid: Invalid value: 1: cannot decrease the failed counter',
      'status.succeeded FieldValueInvalid: Invalid value: 0: cannot decrease the succeeded counter',
    ]);
    expect(causes({ succeeded: 1 }, { succeeded: 2 }, { ...indexed, parallelism: 5 })).toEqual([]);
  });

  it('cannot change the start time, except for a job that is suspended or resumed', () => {
    const later = { startTime: '2024-01-09T00:00:00Z' };
    const MOVED =
      'status.startTime FieldValueRequired: Required value: startTime cannot be removed for unsuspended job';
    expect(causes(later, started)).toEqual([MOVED]);
    expect(causes({}, started)).toEqual([MOVED]);
    expect(causes(later, {})).toEqual([]);
    expect(causes(later, started, { ...plain, suspend: true })).toEqual([]);
    const resumed = { ...later, conditions: [{ type: 'Suspended', status: 'False' }] };
    expect(causes(resumed, { ...started, ...conditions('Suspended') })).toEqual([]);
  });
});
