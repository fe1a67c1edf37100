import { expect, it } from 'vitest';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { operatorFailing } from './operator-failing.ts';

const degraded = (reason: string, message = 'Failed to resync 1 because: no') =>
  anObject('ClusterOperator', 'machine-config', {
    status: { conditions: [aCondition('Degraded', 'True', message, ago(60), reason)] },
  });

it('names the failing task of the operator', () => {
  expect(found(operatorFailing, [degraded('MachineConfigurationFailed')])).toMatchObject([
    { code: 'OperatorFailing', cause: 'the operator fails: Failed to resync 1 because: no' },
  ]);
});

it.each([
  ['a degraded pool', degraded('RequiredPoolsFailed')],
  ['a failing controller', degraded('MachineConfigControllerFailed')],
  ['images of another release', degraded('RenderConfigFailed', 'refusing to read osImageURL version "1"')],
])('leaves %s to the rule for it', (_, operator) => {
  expect(found(operatorFailing, [operator])).toEqual([]);
});
