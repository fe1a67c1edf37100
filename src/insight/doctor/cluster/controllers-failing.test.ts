import { expect, it } from 'vitest';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { controllersFailing } from './controllers-failing.ts';

const config = (status: string) =>
  anObject('ControllerConfig', 'machine-config-controller', {
    status: {
      conditions: [
        aCondition('ControllersFailing', status, 'render worker: x is forbidden', ago(60), 'ReconcileFailed'),
      ],
    },
  });

it('names the failure that the controllers report', () => {
  expect(found(controllersFailing, [config('True')])).toMatchObject([
    {
      code: 'ControllersFailing',
      cause: 'a controller fails again and again: render worker: x is forbidden',
      since: ago(60),
      evidence: [{ value: 'True: ReconcileFailed: render worker: x is forbidden' }],
    },
  ]);
});

it('finds nothing once the reconcile has succeeded, and without a ControllerConfig', () => {
  expect(found(controllersFailing, [config('False')])).toEqual([]);
  expect(found(controllersFailing, [])).toEqual([]);
});
