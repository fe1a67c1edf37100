import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { daemonSetStrategy as strategy } from './daemon-set.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const template = (image = 'x:1'): JsonObject => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'main', image }] },
});
const set = (spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', annotations },
  spec: { selector: { matchLabels: { app: 'a' } }, template: template(), ...spec },
});
const steps = (rollingUpdate: JsonObject) =>
  set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const counted = (count: string) => ({ [TEMPLATE_GENERATION]: count });

describe('the strategy of DaemonSets', () => {
  it('sets defaults', () => {
    const { object, causes } = created(strategy, set());
    expect(causes).toEqual([]);
    expect(object).toMatchObject({
      metadata: { generation: 1, annotations: counted('1') },
      spec: {
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    });
  });

  it('sets the template generation with the defaults, so that the creator owns the annotation', () => {
    expect(strategy.setDefaults({ metadata: { name: 'a' } })).toMatchObject({
      metadata: { annotations: counted('0') },
    });
    expect(strategy.setDefaults(set({}, counted('7')))).toMatchObject({
      metadata: { annotations: counted('7') },
    });
  });

  it('keeps rollingUpdate of another strategy type', () => {
    const sent = set({ updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 1 } } });
    expect(created(strategy, sent)).toMatchObject({
      causes: [],
      object: {
        spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } },
      },
    });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'a missing selector',
      { metadata: { name: 'a' }, spec: { template: template() } },
      [
        'spec.template.metadata.labels FieldValueInvalid: Invalid value: map[string]string{"app":"a"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'an empty selector',
      set({ selector: {} }),
      [
        'spec.selector FieldValueInvalid: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for daemonset',
      ],
    ],
    [
      'negative numbers',
      set({ minReadySeconds: -2, revisionHistoryLimit: -3 }),
      [
        'spec.minReadySeconds FieldValueInvalid: Invalid value: -2: must be greater than or equal to 0',
        'spec.revisionHistoryLimit FieldValueInvalid: Invalid value: -3: must be greater than or equal to 0',
      ],
    ],
    [
      'an unknown strategy',
      set({ updateStrategy: { type: 'Foo' } }),
      [
        'spec.updateStrategy FieldValueNotSupported: Unsupported value: apps.DaemonSetUpdateStrategy{Type:"Foo", RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}: supported values: "RollingUpdate", "OnDelete"',
      ],
    ],
    [
      'maxUnavailable and maxSurge of zero',
      steps({ maxSurge: 0, maxUnavailable: 0 }),
      [
        'spec.updateStrategy.rollingUpdate.maxUnavailable FieldValueRequired: Required value: cannot be 0 when maxSurge is 0',
      ],
    ],
    [
      'both maxUnavailable and maxSurge',
      steps({ maxSurge: '200%' }),
      [
        'spec.updateStrategy.rollingUpdate.maxSurge FieldValueInvalid: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"200%"}: must not be greater than 100%',
        'spec.updateStrategy.rollingUpdate.maxSurge FieldValueInvalid: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"200%"}: may not be set when maxUnavailable is non-zero',
      ],
    ],
  ])('rejects %s', (_, sent, causes) => {
    expect(created(strategy, sent).causes).toEqual(causes);
  });

  it('increments the template generation when the template changes, whatever was sent', () => {
    const old = created(strategy, set({}, counted('7'))).object;
    expect(old).toMatchObject({ metadata: { annotations: counted('7') } });
    expect(created(strategy, set({}, counted('-3'))).object).toMatchObject({
      metadata: { annotations: counted('1') },
    });
    expect(updated(strategy, old, set({ minReadySeconds: 1 }, counted('70'))).object).toMatchObject({
      metadata: { generation: 2, annotations: counted('7') },
    });
    expect(updated(strategy, old, set({ template: template('x:2') })).object).toMatchObject({
      metadata: { generation: 2, annotations: counted('8') },
    });
    const { object } = statusUpdated(strategy, old, set({}, { ...counted('70'), more: 'x' }));
    expect(object).toMatchObject({ metadata: { annotations: { ...counted('7'), more: 'x' } } });
  });

  it('fails to decode a template generation that is no number', () => {
    expect(strategy.decode(set({}, counted('x')))).toEqual({
      kind: 'failed',
      message: 'strconv.ParseInt: parsing "x": invalid syntax',
    });
    expect(strategy.decode(set({}, counted('9'.repeat(20))))).toMatchObject({
      message: `strconv.ParseInt: parsing "${'9'.repeat(20)}": value out of range`,
    });
  });

  it('rejects negative counts in the status', () => {
    const old = created(strategy, set()).object;
    expect(
      statusUpdated(strategy, old, { ...set(), status: { numberReady: -1, collisionCount: -1 } }).causes,
    ).toEqual([
      'status.numberReady FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'status.collisionCount FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});
