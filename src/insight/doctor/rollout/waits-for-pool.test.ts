import { expect, it } from 'vitest';
import { Fleet, NEW } from '../../../../test/support/a-fleet.ts';
import { anObject, foundIn } from '../../../../test/support/doctor-facts.ts';
import { waitsForPool } from './waits-for-pool.ts';

const topology = (controlPlaneTopology: string) =>
  anObject('ControllerConfig', 'machine-config-controller', {
    spec: { infra: { status: { controlPlaneTopology } } },
  });
const WITH_ARBITER = topology('HighlyAvailableArbiter');

const controlPlane = () => new Fleet().pool('master', 2, { configuration: { name: NEW } }).pool('arbiter', 1);

it('names the node of the other pool that nothing brings back', () => {
  const fleet = controlPlane();
  fleet.cordon('arbiter-0');
  expect(foundIn(waitsForPool, fleet, WITH_ARBITER)).toMatchObject([
    {
      code: 'WaitsForArbiter',
      cause: 'pool master sends no node: 1 nodes of pool arbiter are unavailable (arbiter-0)',
      pools: ['master'],
      next: [{ command: 'kubectl uncordon arbiter-0' }],
    },
  ]);
});

it('finds nothing while the other pool is being updated, and where nothing waits', () => {
  const fleet = controlPlane();
  fleet.send('arbiter-0');
  fleet.report('arbiter-0', { kind: 'update-found' });
  expect(foundIn(waitsForPool, fleet, WITH_ARBITER)).toEqual([]);
  expect(foundIn(waitsForPool, controlPlane(), WITH_ARBITER)).toEqual([]);
});

it('names a pool arbiter in a cluster that has none by its topology', () => {
  const fleet = new Fleet().pool('master', 1).pool('arbiter', 1, { configuration: { name: NEW } });
  expect(foundIn(waitsForPool, fleet, topology('HighlyAvailable'))).toMatchObject([
    { code: 'WaitsForMaster' },
  ]);
});
