import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { buildNotStarted } from './build-not-started.ts';

const namespace = 'openshift-machine-config-operator';
const TARGET = 'rendered-infra-1';
const pool = (since: string) => ({
  ...aPool('infra', { configuration: { name: TARGET } }),
  status: { conditions: [aCondition('Updated', 'False', '', since)] },
});
const config = (status: object = {}) =>
  anObject(
    'MachineOSConfig',
    'infra',
    { spec: { machineConfigPool: { name: 'infra' } }, status },
    { creationTimestamp: ago(9_999) },
  );
const lease = anObject(
  'Lease',
  'machine-os-builder',
  { spec: { renewTime: ago(1), holderIdentity: 'a', leaseDurationSeconds: 137 } },
  { namespace },
);
const build = (age: number, conditions: readonly object[] = []) =>
  anObject(
    'MachineOSBuild',
    'infra-1',
    { spec: { machineOSConfig: { name: 'infra' }, machineConfig: { name: TARGET } }, status: { conditions } },
    { creationTimestamp: ago(age) },
  );

it('is found after two minutes without a build, and of a build without a state', () => {
  expect(found(buildNotStarted, [pool(ago(119)), config(), lease])).toEqual([]);
  expect(found(buildNotStarted, [pool(ago(120)), config(), lease])).toMatchObject([
    { code: 'BuildNotStarted', about: { kind: 'MachineOSConfig' }, since: ago(120) },
  ]);
  expect(found(buildNotStarted, [pool(ago(999)), config(), lease, build(60)])).toEqual([]);
  expect(found(buildNotStarted, [pool(ago(999)), config(), lease, build(200)])).toMatchObject([
    { about: { kind: 'MachineOSBuild' }, since: ago(200) },
  ]);
});

it.each([
  ['no builder runs, which has its own code', [pool(ago(999)), config()]],
  [
    'the MachineOSConfig says why',
    [pool(ago(999)), config({ conditions: [aCondition('Degraded', 'True')] }), lease],
  ],
  ['the build runs', [pool(ago(999)), config(), lease, build(900, [aCondition('Building', 'True')])]],
])('is not asserted where %s', (_, objects) => {
  expect(found(buildNotStarted, objects)).toEqual([]);
});
