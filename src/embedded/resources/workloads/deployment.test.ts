import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { deploymentStrategy } from './deployment.ts';

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'main', image: 'x:1' }] },
};
const deployment = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', ...metadata },
  spec: { selector: { matchLabels: { app: 'a' } }, template, ...spec },
});
const strategy = (type: string, rollingUpdate?: JsonObject) =>
  deployment({ strategy: { type, ...(rollingUpdate === undefined ? {} : { rollingUpdate }) } });

describe('the strategy of Deployments', () => {
  it('sets defaults, also of the pod template', () => {
    const { object, causes, warnings } = created(deploymentStrategy, {
      ...deployment(),
      status: { replicas: 3 },
    });
    expect([causes, warnings]).toEqual([[], []]);
    expect(object).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 } },
      },
    });
    expect(object.status).toEqual({});
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['RollingUpdate', strategy('RollingUpdate', { maxSurge: 0 }), { maxUnavailable: '25%', maxSurge: 0 }],
    ['nothing', deployment({ strategy: {} }), { maxUnavailable: '25%', maxSurge: '25%' }],
  ])('sets the rolling update defaults for a strategy with %s', (_, sent, rollingUpdate) => {
    const { object } = created(deploymentStrategy, sent);
    expect(object).toMatchObject({ spec: { strategy: { type: 'RollingUpdate', rollingUpdate } } });
  });

  it('drops rollingUpdate from the Recreate strategy', () => {
    expect(created(deploymentStrategy, strategy('Recreate')).object).toMatchObject({
      spec: { strategy: { type: 'Recreate' } },
    });
    expect(created(deploymentStrategy, strategy('Recreate', {})).causes).toEqual([
      "spec.strategy.rollingUpdate FieldValueForbidden: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'an unknown strategy',
      strategy('Foo'),
      [
        'spec.strategy FieldValueNotSupported: Unsupported value: apps.DeploymentStrategy{Type:"Foo", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'maxUnavailable and maxSurge of zero',
      strategy('RollingUpdate', { maxSurge: 0, maxUnavailable: '0%' }),
      [
        'spec.strategy.rollingUpdate.maxUnavailable FieldValueInvalid: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"0%"}: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      'negative maxUnavailable and maxSurge',
      strategy('RollingUpdate', { maxSurge: -1, maxUnavailable: -2 }),
      [
        'spec.strategy.rollingUpdate.maxUnavailable FieldValueInvalid: Invalid value: -2: must be greater than or equal to 0',
        'spec.strategy.rollingUpdate.maxSurge FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'maxUnavailable above 100%, but not maxSurge',
      strategy('RollingUpdate', { maxSurge: '200%', maxUnavailable: '101%' }),
      [
        'spec.strategy.rollingUpdate.maxUnavailable FieldValueInvalid: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
      ],
    ],
    [
      'negative numbers',
      deployment({
        replicas: -1,
        minReadySeconds: -2,
        revisionHistoryLimit: -3,
        progressDeadlineSeconds: -4,
      }),
      [
        'spec.replicas FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
        'spec.minReadySeconds FieldValueInvalid: Invalid value: -2: must be greater than or equal to 0',
        'spec.revisionHistoryLimit FieldValueInvalid: Invalid value: -3: must be greater than or equal to 0',
        'spec.progressDeadlineSeconds FieldValueInvalid: Invalid value: -4: must be greater than or equal to 0',
        'spec.progressDeadlineSeconds FieldValueInvalid: Invalid value: -4: must be greater than minReadySeconds',
      ],
    ],
    [
      'a progress deadline below minReadySeconds',
      deployment({ minReadySeconds: 600 }),
      [
        'spec.progressDeadlineSeconds FieldValueInvalid: Invalid value: 600: must be greater than minReadySeconds',
      ],
    ],
    [
      'a rollback to a negative revision',
      deployment({}, { annotations: { 'deprecated.deployment.rollback.to': '-3' } }),
      ['spec.rollback.version FieldValueInvalid: Invalid value: -3: must be greater than or equal to 0'],
    ],
  ])('rejects %s', (_, sent, causes) => {
    expect(created(deploymentStrategy, sent).causes).toEqual(causes);
  });

  it('fails to decode a rollback annotation without a revision', () => {
    const sent = deployment({}, { annotations: { 'deprecated.deployment.rollback.to': 'x' } });
    expect(deploymentStrategy.decode(sent)).toEqual({
      kind: 'failed',
      message:
        'failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: strconv.ParseInt: parsing "x": invalid syntax',
    });
  });

  it('warns of the pod template when it changes', () => {
    const nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    const sent = deployment({ template: { ...template, spec: { ...template.spec, nodeSelector } } });
    const made = created(deploymentStrategy, sent);
    expect(made.warnings).toEqual([
      'spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
    expect(updated(deploymentStrategy, made.object, sent).warnings).toEqual([]);
    expect(
      updated(deploymentStrategy, created(deploymentStrategy, deployment()).object, sent).warnings,
    ).toEqual(made.warnings);
  });

  it('makes the selector immutable', () => {
    const old = created(deploymentStrategy, deployment()).object;
    const more = { matchLabels: { app: 'a', more: 'x' } };
    const labelled = { ...template, metadata: { labels: { app: 'a', more: 'x' } } };
    expect(
      updated(deploymentStrategy, old, deployment({ selector: more, template: labelled })).causes,
    ).toEqual([
      'spec.selector FieldValueInvalid: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"a", "more":"x"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  });

  it.each<[string, JsonObject, number]>([
    ['nothing', deployment(), 1],
    ['a label', deployment({}, { labels: { a: 'b' } }), 1],
    ['the generation', deployment({}, { generation: 77 }), 1],
    ['an annotation', deployment({}, { annotations: { a: 'b' } }), 2],
    ['the replicas', deployment({ replicas: 2 }), 2],
  ])('sets the generation after a change of %s', (_, sent, generation) => {
    const old = created(deploymentStrategy, deployment()).object;
    expect(updated(deploymentStrategy, old, sent).object).toMatchObject({ metadata: { generation } });
  });

  it('takes annotations but no labels through the status subresource', () => {
    const old = created(deploymentStrategy, deployment({}, { labels: { a: 'b' } })).object;
    const sent = {
      ...deployment({ replicas: 9 }, { labels: { c: 'd' }, annotations: { n: 'o' } }),
      status: { replicas: 2, terminatingReplicas: 1 },
    };
    const { object, causes } = statusUpdated(deploymentStrategy, old, sent);
    expect(causes).toEqual([]);
    expect(object.metadata).toMatchObject({ labels: { a: 'b' }, annotations: { n: 'o' }, generation: 1 });
    expect(object).toMatchObject({ spec: { replicas: 1 } });
    expect(object.status).toEqual({ replicas: 2 });
    expect(deploymentStrategy.subresources).toMatchObject({
      status: { resetFields: [['spec'], ['metadata', 'labels']] },
    });
  });

  it('rejects a decreasing collision count', () => {
    const old = statusUpdated(deploymentStrategy, created(deploymentStrategy, deployment()).object, {
      ...deployment(),
      status: { collisionCount: 3 },
    }).object;
    for (const [status, value] of [[{ collisionCount: 2 }, 2] as const, [{}, 0] as const]) {
      expect(statusUpdated(deploymentStrategy, old, { ...deployment(), status }).causes).toEqual([
        `status.collisionCount FieldValueInvalid: Invalid value: ${value}: cannot be decremented`,
      ]);
    }
  });
});
