import { expect, it } from 'vitest';
import { aMachineConfig, aPool } from '../../../../test/support/build.ts';
import { found } from '../../../../test/support/doctor-facts.ts';
import { missingTarget } from './missing-target.ts';

const pool = aPool('worker', { configuration: { name: 'rendered-worker-1' } });
const KINDS = ['MachineConfig.machineconfiguration.openshift.io'];

it('is found where the target of a pool does not exist', () => {
  expect(found(missingTarget, [pool], { kinds: KINDS })).toMatchObject([
    {
      code: 'MissingMachineConfig',
      cause: 'pool worker sends no node, since its target rendered-worker-1 does not exist',
    },
  ]);
});

it('is not asserted where it exists, or where MachineConfigs were not read', () => {
  expect(found(missingTarget, [pool, aMachineConfig('rendered-worker-1')])).toEqual([]);
  expect(found(missingTarget, [pool])).toEqual([]);
});
