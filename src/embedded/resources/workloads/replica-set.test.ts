import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { replicaSetStrategy as strategy } from './replica-set.ts';

const template = (labels: JsonObject = { app: 'a' }, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'x:1' }], ...spec },
});
const set = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a' },
  spec: { selector: { matchLabels: { app: 'a' } }, template: template(), ...spec },
});
const NO_MATCH =
  'spec.template.metadata.labels FieldValueInvalid: Invalid value: map[string]string{"app":"a"}: `selector` does not match template `labels`';

describe('the strategy of ReplicaSets', () => {
  it('defaults to one replica', () => {
    expect(created(strategy, set())).toMatchObject({
      causes: [],
      object: { metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 0 } },
    });
    expect(created(strategy, set({ replicas: 0 })).object).toMatchObject({ spec: { replicas: 0 } });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'requires a selector',
      { spec: { template: template() } },
      ['spec.selector FieldValueRequired: Required value', NO_MATCH],
    ],
    [
      'rejects an empty selector',
      set({ selector: {} }),
      [
        'spec.selector FieldValueInvalid: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ],
    ],
    [
      'requires a selector that matches its template',
      set({ selector: { matchLabels: { app: 'b' } } }),
      [NO_MATCH],
    ],
    [
      'requires a valid selector',
      set({ selector: { matchExpressions: [{ key: 'app', operator: 'In' }] } }),
      [
        "spec.selector.matchExpressions[0].values FieldValueRequired: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.selector FieldValueInvalid: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"app", Operator:"In", Values:[]string(nil)}}}: invalid label selector',
      ],
    ],
    [
      'rejects negative numbers',
      set({ replicas: -1, minReadySeconds: -2 }),
      [
        'spec.replicas FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
        'spec.minReadySeconds FieldValueInvalid: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [
      'requires restartPolicy Always',
      set({ template: template({ app: 'a' }, { restartPolicy: 'Never', activeDeadlineSeconds: 3 }) }),
      [
        'spec.template.spec.restartPolicy FieldValueNotSupported: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds FieldValueForbidden: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    ],
  ])('%s', (_, sent, causes) => {
    expect(created(strategy, sent).causes).toEqual(causes);
  });

  it('warns of a name that is no valid hostname', () => {
    const { warnings } = created(strategy, { ...set(), metadata: { name: 'a.b' } });
    expect(warnings).toEqual([
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ]);
  });

  it('makes the selector immutable, and validates it twice', () => {
    const old = created(strategy, set()).object;
    expect(updated(strategy, old, set({ selector: { matchLabels: { app: 'x' } } })).causes).toEqual([
      NO_MATCH,
      NO_MATCH,
      'spec.selector FieldValueInvalid: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"x"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  });

  it('increments the generation with the spec only', () => {
    const old = created(strategy, set()).object;
    const noted = { ...set(), metadata: { name: 'a', annotations: { a: 'b' }, generation: 7 } };
    expect(updated(strategy, old, noted).object).toMatchObject({ metadata: { generation: 1 } });
    expect(updated(strategy, old, set({ replicas: 2 })).object).toMatchObject({
      metadata: { generation: 2 },
    });
  });

  it('takes labels through the status subresource, but no spec and no disabled fields', () => {
    const old = created(strategy, set()).object;
    const sent = {
      ...set({ replicas: 9 }),
      metadata: { name: 'a', labels: { l: 'm' }, generation: 99 },
      status: { replicas: 2, terminatingReplicas: 1, observedGeneration: 1 },
    };
    const { object, causes } = statusUpdated(strategy, old, sent);
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ metadata: { labels: { l: 'm' }, generation: 1 }, spec: { replicas: 1 } });
    expect(object.status).toEqual({ replicas: 2, observedGeneration: 1 });
  });

  it('rejects counts above the number of replicas', () => {
    const old = created(strategy, set()).object;
    const status = { replicas: 2, fullyLabeledReplicas: 6, readyReplicas: 3, availableReplicas: 4 };
    expect(statusUpdated(strategy, old, { ...set(), status }).causes).toEqual([
      'status.fullyLabeledReplicas FieldValueInvalid: Invalid value: 6: cannot be greater than status.replicas',
      'status.readyReplicas FieldValueInvalid: Invalid value: 3: cannot be greater than status.replicas',
      'status.availableReplicas FieldValueInvalid: Invalid value: 4: cannot be greater than status.replicas',
      'status.availableReplicas FieldValueInvalid: Invalid value: 4: cannot be greater than readyReplicas',
    ]);
  });
});
