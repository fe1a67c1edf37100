import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { leaseStrategy } from './lease.ts';

const lease = (spec: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec });

describe('the strategy of Leases', () => {
  it.each<[JsonObject, readonly string[]]>([
    [
      { leaseDurationSeconds: 0 },
      ['spec.leaseDurationSeconds FieldValueInvalid: Invalid value: 0: must be greater than 0'],
    ],
    [
      { leaseDurationSeconds: -1, leaseTransitions: -1 },
      [
        'spec.leaseDurationSeconds FieldValueInvalid: Invalid value: -1: must be greater than 0',
        'spec.leaseTransitions FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [{}, []],
    [{ leaseTransitions: 0, holderIdentity: '' }, []],
  ])('reports the problems of %j', (spec, causes) => {
    const made = created(leaseStrategy, lease(spec));
    expect(made.causes).toEqual(causes);
    expect(made.object.spec).toEqual(spec);
    expect(updated(leaseStrategy, made.object, lease(spec)).causes).toEqual(causes);
  });

  it('keeps the spec and sets no generation', () => {
    const spec = { leaseDurationSeconds: 10, renewTime: '2024-01-02T03:04:05.678901Z' };
    const { object } = created(leaseStrategy, lease(spec));
    expect(object.spec).toEqual(spec);
    expect(object.metadata).not.toHaveProperty('generation');
  });

  it('drops the fields of coordinated leader election unless the lease has them already', () => {
    const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'x' };
    expect(created(leaseStrategy, lease(spec)).object.spec).toEqual({});
    expect(updated(leaseStrategy, lease(spec), lease(spec)).object.spec).toEqual(spec);
  });

  it('allows create on update, and requires a resourceVersion for updates', () => {
    expect(leaseStrategy.allowsCreateOnUpdate).toBe(true);
    expect(leaseStrategy.allowsUnconditionalUpdate).toBe(false);
  });
});
