/** Recorded from kube-apiserver 1.33. */

import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/resource-writes.ts';
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

describe('a pod', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'a container',
      {},
      { containers: [container, { ...container, name: 'b' }] },
      ['spec.containers FieldValueForbidden: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'an init container',
      { initContainers: [{ ...container, name: 'i' }] },
      { initContainers: [] },
      ['spec.initContainers FieldValueForbidden: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'an image to none',
      {},
      { containers: [{ ...container, image: '' }] },
      [
        'spec.containers[0].image FieldValueRequired: Required value',
        'spec.containers[0].image FieldValueRequired: Required value',
      ],
    ],
    ['its variables', {}, { containers: [{ ...container, env: [{ name: 'A', value: 'b' }] }] }, [OTHERS]],
    ['its restart policy', {}, { restartPolicy: 'Never' }, [OTHERS]],
    ['its node', {}, { nodeName: 'n' }, [OTHERS]],
    ['its demands on the node', {}, { nodeSelector: { a: 'b' } }, [OTHERS]],
    [
      'its deadline to a later one',
      { activeDeadlineSeconds: 100 },
      { activeDeadlineSeconds: 500 },
      [
        'spec.activeDeadlineSeconds FieldValueInvalid: Invalid value: 500: must be less than or equal to previous value',
      ],
    ],
    [
      'its deadline to none',
      { activeDeadlineSeconds: 100 },
      { activeDeadlineSeconds: null },
      [
        'spec.activeDeadlineSeconds FieldValueInvalid: Invalid value: "null": must not update from a positive integer to nil value',
      ],
    ],
    [
      'what it tolerates to less',
      { tolerations: [toleration] },
      { tolerations: [] },
      [
        'spec.tolerations FieldValueForbidden: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ],
    ],
    [
      'what holds it back to more',
      { schedulingGates: [{ name: 'g' }] },
      { schedulingGates: [{ name: 'g' }, { name: 'h' }] },
      [
        "spec.schedulingGates[1].name FieldValueForbidden: Forbidden: only deletion is allowed, but found new scheduling gate 'h'",
      ],
    ],
    [
      'its demands, while it is held back',
      { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } },
      { nodeSelector: { a: 'x' } },
      [
        'spec.nodeSelector FieldValueInvalid: Invalid value: map[string]string{"a":"x"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
  ])('does not change %s', (_, spec, change, causes) => {
    expect(changed(spec, change)).toEqual(causes);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['its image', {}, { containers: [{ ...container, image: 'new' }] }],
    ['its deadline, to an earlier one', { activeDeadlineSeconds: 100 }, { activeDeadlineSeconds: 50 }],
    [
      'what it tolerates, to more',
      { tolerations: [toleration] },
      { tolerations: [toleration, { key: 'b', operator: 'Exists' }] },
    ],
    [
      'for how long it tolerates',
      { tolerations: [toleration] },
      { tolerations: [{ ...toleration, tolerationSeconds: 5 }] },
    ],
    ['what holds it back, to less', { schedulingGates: [{ name: 'g' }] }, { schedulingGates: [] }],
    [
      'its demands, to more, while it is held back',
      { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } },
      { nodeSelector: { a: 'b', c: 'd' } },
    ],
  ])('may change %s', (_, spec, change) => {
    expect(changed(spec, change)).toEqual([]);
  });

  it('is shown what differs, and nothing else', () => {
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
