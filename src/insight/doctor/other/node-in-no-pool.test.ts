import { expect, it } from 'vitest';
import { Fleet } from '../../../../test/support/a-fleet.ts';
import { foundIn } from '../../../../test/support/doctor-facts.ts';
import { nodeInNoPool } from './node-in-no-pool.ts';

it('is a managed node that no pool selects, and blocks nothing', () => {
  const fleet = new Fleet().pool('worker', 1);
  fleet.relabel('worker-0', 'storage');
  expect(foundIn(nodeInNoPool, fleet)).toMatchObject([{ code: 'NodeInNoPool', about: { name: 'worker-0' } }]);
  expect(nodeInNoPool.severity).toBe('warning');
});

it('is no node that is in a pool', () => {
  expect(foundIn(nodeInNoPool, new Fleet().pool('worker', 1))).toEqual([]);
});
