import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podDisruptionBudgetStrategy as strategy } from './pod-disruption-budget.ts';

const budget = (spec: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec });
const noPods = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

describe('the strategy of PodDisruptionBudgets', () => {
  it.each<[JsonObject, readonly string[]]>([
    [
      { minAvailable: 1, maxUnavailable: '20%' },
      [
        'spec FieldValueInvalid: Invalid value: policy.PodDisruptionBudgetSpec{…}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [
      { minAvailable: -1 },
      ['spec.minAvailable FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      { maxUnavailable: '101%' },
      [
        'spec.maxUnavailable FieldValueInvalid: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
      ],
    ],
    [
      { selector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } },
      [
        'spec.selector.matchExpressions[0].operator FieldValueInvalid: Invalid value: "Foo": not a valid selector operator',
      ],
    ],
    [
      { unhealthyPodEvictionPolicy: 'Foo' },
      [
        'spec.unhealthyPodEvictionPolicy FieldValueNotSupported: Unsupported value: "Foo": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    ],
    [{}, []],
    [{ minAvailable: 0, selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, []],
  ])('validates %j', (spec, causes) => {
    const made = created(strategy, budget(spec));
    expect(made.causes).toEqual(causes);
    expect(made.object).toMatchObject({ metadata: { generation: 1 }, spec, status: noPods });
  });

  it('increments the generation with the spec', () => {
    const { object } = created(strategy, budget({ minAvailable: 1 }));
    const same = updated(strategy, object, { ...budget({ minAvailable: 1 }), status: { currentHealthy: 3 } });
    expect(same.object).toMatchObject({ metadata: { generation: 1 }, status: noPods });
    const other = updated(strategy, object, budget({ minAvailable: 2 }));
    expect(other.object).toMatchObject({ metadata: { generation: 2 }, status: noPods });
  });

  it('takes status and metadata through the status subresource', () => {
    const { object } = created(strategy, budget({ minAvailable: 1 }));
    const sent = {
      metadata: { name: 'a', generation: 9, labels: { a: 'b' } },
      spec: { minAvailable: 9 },
      status: { disruptionsAllowed: 1, observedGeneration: 1 },
    };
    expect(statusUpdated(strategy, object, sent)).toMatchObject({
      causes: [],
      object: {
        metadata: { generation: 1, labels: { a: 'b' } },
        spec: { minAvailable: 1 },
        status: { ...noPods, disruptionsAllowed: 1, observedGeneration: 1 },
      },
    });
  });

  it('rejects negative counts', () => {
    const { object } = created(strategy, budget({}));
    const status = { disruptionsAllowed: -1, expectedPods: -2 };
    expect(statusUpdated(strategy, object, { ...budget({}), status }).causes).toEqual([
      'status.disruptionsAllowed FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'status.expectedPods FieldValueInvalid: Invalid value: -2: must be greater than or equal to 0',
    ]);
  });

  it('requires a resourceVersion for updates, and accepts any path segment as name', () => {
    expect(strategy.allowsUnconditionalUpdate).toBe(false);
    expect(strategy.allowsCreateOnUpdate).toBe(false);
    expect(strategy.validateName('A_b', false)).toEqual([]);
  });
});
