import { expect, it } from 'vitest';
import { Fleet } from '../../../../test/support/a-fleet.ts';
import { foundIn } from '../../../../test/support/doctor-facts.ts';
import { controlPlaneInCustomPool } from './control-plane-in-custom-pool.ts';

it('is a control plane node that a custom pool selects, and blocks nothing', () => {
  const fleet = new Fleet().pool('master', 1).pool('infra', 0);
  fleet.relabel('master-0', 'master', 'infra');
  expect(foundIn(controlPlaneInCustomPool, fleet)).toMatchObject([
    { code: 'ControlPlaneInCustomPool', about: { name: 'master-0' }, pools: ['infra'] },
  ]);
  expect(controlPlaneInCustomPool.severity).toBe('warning');
});

it('is no other node', () => {
  const fleet = new Fleet().pool('master', 1).pool('worker', 1).pool('infra', 1);
  expect(foundIn(controlPlaneInCustomPool, fleet)).toEqual([]);
});
