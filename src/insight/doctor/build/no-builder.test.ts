import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { noBuilder } from './no-builder.ts';

const config = anObject('MachineOSConfig', 'infra', { spec: { machineConfigPool: { name: 'infra' } } });
const pool = (reason: string, status = 'True') => ({
  ...aPool('infra'),
  status: { conditions: [aCondition('BuildPending', status, 'No builder is running', ago(90), reason)] },
});

it('is what the pool says, with the Lease that nobody renews', () => {
  const lease = anObject(
    'Lease',
    'machine-os-builder',
    { spec: { renewTime: ago(400) } },
    { namespace: 'openshift-machine-config-operator' },
  );
  const [finding] = found(noBuilder, [pool('NoBuilder'), config, lease]);
  expect(finding).toMatchObject({ code: 'NoBuilder', pools: ['infra'], since: ago(90) });
  expect(finding?.evidence.at(-1)).toMatchObject({ value: ago(400), since: ago(400) });
});

it('is not asserted once a builder runs, nor of a pool that builds nothing', () => {
  expect(found(noBuilder, [pool('NoBuilder', 'False'), config])).toEqual([]);
  expect(found(noBuilder, [pool('NoBuilder')])).toEqual([]);
});
