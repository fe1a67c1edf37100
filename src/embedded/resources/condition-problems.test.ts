import { describe, expect, it } from 'vitest';
import { causeText } from '../../../test/support/resource-writes.ts';
import { conditionProblems } from './condition-problems.ts';

const good = {
  type: 'Ready',
  status: 'True',
  reason: 'AllGood',
  message: '',
  lastTransitionTime: '2024-01-01T00:00:00Z',
};
const causes = (...conditions: object[]) =>
  // The tests write conditions as JSON.
  conditionProblems({ conditions: conditions as never }, 'status').map(causeText);

describe('conditionProblems', () => {
  it('requires type, status, reason and lastTransitionTime', () => {
    expect(causes({ type: 'X' })).toEqual([
      'status.conditions[0].status FieldValueNotSupported: Unsupported value: "": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime FieldValueRequired: Required value: must be set',
      'status.conditions[0].reason FieldValueRequired: Required value: must be set',
    ]);
  });

  it('reports malformed conditions', () => {
    const wrong = { ...good, type: 'a b', observedGeneration: -1, reason: '1' };
    expect(causes(wrong)).toEqual([
      `status.conditions[0].type FieldValueInvalid: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'status.conditions[0].observedGeneration FieldValueInvalid: Invalid value: -1: must be greater than or equal to zero',
      `status.conditions[0].reason FieldValueInvalid: Invalid value: "1": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
    ]);
  });

  it('limits the length of reasons and messages', () => {
    expect(causes({ ...good, reason: 'r'.repeat(1025), message: 'm'.repeat(32769) })).toEqual([
      'status.conditions[0].reason FieldValueTooLong: Too long: may not be more than 1024 bytes',
      'status.conditions[0].message FieldValueTooLong: Too long: may not be more than 32768 bytes',
    ]);
  });

  it('rejects duplicate types', () => {
    expect(causes(good, { ...good, type: 'Other' })).toEqual([]);
    expect(causes(good, good)).toEqual([
      'status.conditions[1].type FieldValueDuplicate: Duplicate value: "Ready"',
    ]);
  });
});
