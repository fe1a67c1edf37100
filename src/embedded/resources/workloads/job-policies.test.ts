import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podFailurePolicyProblems, successPolicyProblems } from './job-policies.ts';

const onFailure = (...rules: JsonObject[]) =>
  podFailurePolicyProblems({ podFailurePolicy: { rules } }, 'p').map(causeText);
const onSuccess = (...rules: JsonObject[]) =>
  successPolicyProblems({ completions: 5, successPolicy: { rules } }, 'p').map(causeText);
const good = { action: 'Count', onPodConditions: [{ type: 'X', status: 'True' }] };

describe('the pod failure policy of a job', () => {
  it.each<[JsonObject, readonly string[]]>([
    [
      { action: 'Foo' },
      [
        'p.rules[0].action FieldValueNotSupported: Unsupported value: "Foo": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        'p.rules[0] FieldValueInvalid: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      { ...good, action: '' },
      [
        'p.rules[0].action FieldValueRequired: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      ],
    ],
    [
      { ...good, action: 'FailIndex' },
      [
        'p.rules[0].action FieldValueInvalid: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      ],
    ],
    [
      { ...good, onExitCodes: { operator: 'In', values: [1], containerName: 'zz' } },
      [
        'p.rules[0].onExitCodes.containerName FieldValueInvalid: Invalid value: "zz": must be one of the container or initContainer names in the pod template',
        'p.rules[0] FieldValueInvalid: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported',
      ],
    ],
    [
      { action: 'Count', onExitCodes: { operator: 'In', values: [0, 3, 2, 2] } },
      [
        'p.rules[0].onExitCodes.values[0] FieldValueInvalid: Invalid value: 0: must not be 0 for the In operator',
        'p.rules[0].onExitCodes.values[3] FieldValueDuplicate: Duplicate value: 2',
        'p.rules[0].onExitCodes.values FieldValueInvalid: Invalid value: []int32{0, 3, 2, 2}: must be ordered',
      ],
    ],
    [
      { action: 'Count', onExitCodes: { operator: 'Foo' } },
      [
        'p.rules[0].onExitCodes.operator FieldValueNotSupported: Unsupported value: "Foo": supported values: "In", "NotIn"',
        'p.rules[0].onExitCodes.values FieldValueInvalid: Invalid value: []int32(nil): at least one value is required',
      ],
    ],
    [
      { action: 'Count', onPodConditions: [{ type: 'X', status: 'Foo' }] },
      [
        'p.rules[0].onPodConditions[0].status FieldValueNotSupported: Unsupported value: "Foo": supported values: "False", "True", "Unknown"',
      ],
    ],
    [good, []],
    [{ action: 'Count', onExitCodes: { operator: 'NotIn', values: [0, 1] } }, []],
  ])('is validated: %j', (rule, causes) => {
    expect(onFailure(rule)).toEqual(causes);
  });

  it('limits the number of rules and exit codes', () => {
    expect(onFailure(...Array.from({ length: 21 }, () => good))).toEqual([
      'p.rules FieldValueTooMany: Too many: 21: must have at most 20 items',
    ]);
    const values = Array.from({ length: 256 }, (_, index) => index + 1);
    expect(onFailure({ action: 'Count', onExitCodes: { operator: 'In', values } })).toEqual([
      'p.rules[0].onExitCodes.values FieldValueTooMany: Too many: 256: must have at most 255 items',
    ]);
  });
});

describe('the success policy of a job', () => {
  it.each<[JsonObject, readonly string[]]>([
    [
      {},
      [
        'p.rules[0] FieldValueRequired: Required value: at least one of succeededCount or succeededIndexes must be specified',
      ],
    ],
    [
      { succeededIndexes: '9' },
      [
        'p.rules[0].succeededIndexes FieldValueInvalid: Invalid value: "9": error parsing succeededIndexes: too large index: "9"',
      ],
    ],
    [
      { succeededCount: 9 },
      [
        'p.rules[0].succeededCount FieldValueInvalid: Invalid value: 9: must be less than or equal to 5 (the number of specified completions)',
      ],
    ],
    [
      { succeededIndexes: '1,2', succeededCount: 3 },
      [
        'p.rules[0].succeededCount FieldValueInvalid: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
      ],
    ],
    [{ succeededIndexes: '1,2', succeededCount: 2 }, []],
  ])('is validated: %j', (rule, causes) => {
    expect(onSuccess(rule)).toEqual(causes);
  });

  it('requires at least one rule', () => {
    expect(onSuccess()).toEqual([
      'p.rules FieldValueRequired: Required value: at least one rules must be specified when the successPolicy is specified',
    ]);
  });
});
