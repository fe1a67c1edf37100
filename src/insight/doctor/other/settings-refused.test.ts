import { describe, expect, it } from 'vitest';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { settingsRefused } from './settings-refused.ts';

const failure = aCondition('Failure', 'True', 'Error: maxPods is not valid', ago(20));
const object = (kind: string, conditions: readonly object[], observedGeneration = 2) =>
  anObject(kind, 'pods', { status: { observedGeneration, conditions } }, { generation: 2 });

describe('settings that are not accepted', () => {
  it.each([
    ['KubeletConfig', 'KubeletConfigRefused'],
    ['ContainerRuntimeConfig', 'ContainerRuntimeConfigRefused'],
  ])('are found by the last condition of a %s', (kind, code) => {
    expect(found(settingsRefused, [object(kind, [failure])])).toMatchObject([
      {
        code,
        cause: `${kind} pods is not accepted, and nodes keep their settings: maxPods is not valid`,
        since: ago(20),
      },
    ]);
  });

  it('are not those that were accepted since, or that the controller has not looked at yet', () => {
    const success = aCondition('Success', 'True', 'Success');
    expect(found(settingsRefused, [object('KubeletConfig', [failure, success])])).toEqual([]);
    expect(found(settingsRefused, [object('KubeletConfig', [failure], 1)])).toEqual([]);
    expect(found(settingsRefused, [object('KubeletConfig', [])])).toEqual([]);
  });
});
