/** Recorded from kube-apiserver 1.33. */

import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt } from '../../../base/json-fields.ts';
import { podStrategy as strategy } from './pod.ts';

const container = { name: 'a', image: 'x', imagePullPolicy: 'Always' };
const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
const OTHERS =
  'spec FieldValueForbidden: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function changed(spec: JsonObject, change: JsonObject): readonly string[] {
  const old = created(strategy, {
    metadata: { name: 'a' },
    spec: { containers: [container], ...spec },
  }).object;
  const { causes } = updated(strategy, old, { ...old, spec: { ...objectAt(old, 'spec'), ...change } });
  return causes.map((cause) => cause.split('\n', 1)[0] ?? '');
}

describe('the update of a pod', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'the containers',
      {},
      { containers: [container, { ...container, name: 'b' }] },
      ['spec.containers FieldValueForbidden: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'the init containers',
      { initContainers: [{ ...container, name: 'i' }] },
      { initContainers: [] },
      ['spec.initContainers FieldValueForbidden: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'an image to an empty one',
      {},
      { containers: [{ ...container, image: '' }] },
      [
        'spec.containers[0].image FieldValueRequired: Required value',
        'spec.containers[0].image FieldValueRequired: Required value',
      ],
    ],
    ['the environment', {}, { containers: [{ ...container, env: [{ name: 'A', value: 'b' }] }] }, [OTHERS]],
    ['the restart policy', {}, { restartPolicy: 'Never' }, [OTHERS]],
    ['the node', {}, { nodeName: 'n' }, [OTHERS]],
    ['the node selector', {}, { nodeSelector: { a: 'b' } }, [OTHERS]],
    [
      'the deadline to a later one',
      { activeDeadlineSeconds: 100 },
      { activeDeadlineSeconds: 500 },
      [
        'spec.activeDeadlineSeconds FieldValueInvalid: Invalid value: 500: must be less than or equal to previous value',
      ],
    ],
    [
      'the deadline to none',
      { activeDeadlineSeconds: 100 },
      { activeDeadlineSeconds: null },
      [
        'spec.activeDeadlineSeconds FieldValueInvalid: Invalid value: "null": must not update from a positive integer to nil value',
      ],
    ],
    [
      'the tolerations to fewer',
      { tolerations: [toleration] },
      { tolerations: [] },
      [
        'spec.tolerations FieldValueForbidden: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ],
    ],
    [
      'the scheduling gates to more',
      { schedulingGates: [{ name: 'g' }] },
      { schedulingGates: [{ name: 'g' }, { name: 'h' }] },
      [
        "spec.schedulingGates[1].name FieldValueForbidden: Forbidden: only deletion is allowed, but found new scheduling gate 'h'",
      ],
    ],
    [
      'the node selector to a less strict one, with scheduling gates',
      { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } },
      { nodeSelector: { a: 'x' } },
      [
        'spec.nodeSelector FieldValueInvalid: Invalid value: map[string]string{"a":"x"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
  ])('rejects a change of %s', (_, spec, change, causes) => {
    expect(changed(spec, change)).toEqual(causes);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['an image', {}, { containers: [{ ...container, image: 'new' }] }],
    ['the deadline to an earlier one', { activeDeadlineSeconds: 100 }, { activeDeadlineSeconds: 50 }],
    [
      'the tolerations to more',
      { tolerations: [toleration] },
      { tolerations: [toleration, { key: 'b', operator: 'Exists' }] },
    ],
    [
      'the seconds of a toleration',
      { tolerations: [toleration] },
      { tolerations: [{ ...toleration, tolerationSeconds: 5 }] },
    ],
    ['the scheduling gates to fewer', { schedulingGates: [{ name: 'g' }] }, { schedulingGates: [] }],
    [
      'the node selector to a stricter one, with scheduling gates',
      { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } },
      { nodeSelector: { a: 'b', c: 'd' } },
    ],
  ])('allows a change of %s', (_, spec, change) => {
    expect(changed(spec, change)).toEqual([]);
  });

  it('reports only what differs', () => {
    const old = created(strategy, { metadata: { name: 'a' }, spec: { containers: [container] } }).object;
    const containers = [{ ...container, env: [{ name: 'A', value: 'é' }] }];
    const { causes } = updated(strategy, old, {
      ...old,
      spec: { ...objectAt(old, 'spec'), containers, priority: 5 },
    });
    expect(causes).toEqual([
      [
        `${OTHERS}`,
        '  core.PodSpec{',
        '- \tcontainers[0].env: nil,',
        '+ \tcontainers[0].env: [{"name":"A","value":"é"}],',
        '- \tpriority: nil,',
        '+ \tpriority: 5,',
        '  }',
        '',
      ].join('\n'),
    ]);
  });
});
