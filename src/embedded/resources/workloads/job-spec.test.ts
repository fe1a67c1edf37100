import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { jobSpecProblems, restartPolicyProblems } from './job-spec.ts';

const NEGATIVE = 'must be greater than or equal to 0';
const NEEDS_INDEXES = 'requires indexed completion mode';

describe('the validation of job specs', () => {
  it.each<[JsonObject, readonly string[]]>([
    [
      { parallelism: -1, activeDeadlineSeconds: -3, ttlSecondsAfterFinished: -5 },
      [
        `spec.parallelism FieldValueInvalid: Invalid value: -1: ${NEGATIVE}`,
        `spec.activeDeadlineSeconds FieldValueInvalid: Invalid value: -3: ${NEGATIVE}`,
        `spec.ttlSecondsAfterFinished FieldValueInvalid: Invalid value: -5: ${NEGATIVE}`,
      ],
    ],
    [
      { maxFailedIndexes: 1 },
      [
        'spec.backoffLimitPerIndex FieldValueRequired: Required value: when maxFailedIndexes is specified',
        `spec.maxFailedIndexes FieldValueInvalid: Invalid value: 1: ${NEEDS_INDEXES}`,
      ],
    ],
    [
      { backoffLimitPerIndex: 1 },
      [`spec.backoffLimitPerIndex FieldValueInvalid: Invalid value: 1: ${NEEDS_INDEXES}`],
    ],
    [
      { completionMode: 'Foo' },
      [
        'spec.completionMode FieldValueNotSupported: Unsupported value: "Foo": supported values: "NonIndexed", "Indexed"',
      ],
    ],
    [
      { completionMode: 'Indexed', parallelism: 100001 },
      [
        'spec.completions FieldValueRequired: Required value: when completion mode is Indexed',
        'spec.parallelism FieldValueInvalid: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      ],
    ],
    [
      { completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
      [
        'spec.maxFailedIndexes FieldValueInvalid: Invalid value: 4: must be less than or equal to completions',
      ],
    ],
    [
      { completionMode: 'Indexed', completions: 1000000, parallelism: 20000, backoffLimitPerIndex: 1 },
      [
        'spec.maxFailedIndexes FieldValueRequired: Required value: must be specified when completions is above 100000',
        'spec.parallelism FieldValueInvalid: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    [{ podReplacementPolicy: 'Failed' }, []],
    [
      { podReplacementPolicy: 'Foo' },
      [
        'spec.podReplacementPolicy FieldValueNotSupported: Unsupported value: "Foo": supported values: "Failed", "TerminatingOrFailed"',
      ],
    ],
    [
      { podReplacementPolicy: 'TerminatingOrFailed', podFailurePolicy: { rules: [] } },
      [
        'spec.podReplacementPolicy FieldValueNotSupported: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
      ],
    ],
    [
      { successPolicy: { rules: [] } },
      [
        `spec.successPolicy FieldValueInvalid: Invalid value: batch.SuccessPolicy{Rules:[]batch.SuccessPolicyRule{}}: ${NEEDS_INDEXES}`,
      ],
    ],
  ])('reports the problems of %j', (spec, causes) => {
    expect(jobSpecProblems(spec).map(causeText)).toEqual(causes);
  });

  it.each([
    ['', 'FieldValueRequired: Required value'],
    [
      'foo',
      'FieldValueInvalid: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'a.b/ü',
      `FieldValueInvalid: Invalid value: "ü": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ],
    [`a.b/${'x'.repeat(60)}`, 'FieldValueTooLong: Too long: may not be more than 63 bytes'],
  ])('validates managedBy %s', (managedBy, cause) => {
    expect(jobSpecProblems({ managedBy }).map(causeText)).toEqual([`spec.managedBy ${cause}`]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['Always', {}, ['FieldValueRequired: Required value: valid values: "OnFailure", "Never"']],
    ['Foo', {}, ['FieldValueNotSupported: Unsupported value: "Foo": supported values: "OnFailure", "Never"']],
    [
      'OnFailure',
      { podFailurePolicy: {} },
      [
        'FieldValueInvalid: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
      ],
    ],
    ['OnFailure', {}, []],
    ['Never', { podFailurePolicy: {} }, []],
  ])('validates the restart policy %s', (restartPolicy, spec, causes) => {
    const problems = restartPolicyProblems({ ...spec, template: { spec: { restartPolicy } } });
    expect(problems.map(causeText)).toEqual(
      causes.map((cause) => `spec.template.spec.restartPolicy ${cause}`),
    );
  });
});
