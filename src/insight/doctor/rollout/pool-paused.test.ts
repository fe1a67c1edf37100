import { expect, it } from 'vitest';
import { Fleet, NEW } from '../../../../test/support/a-fleet.ts';
import { foundIn } from '../../../../test/support/doctor-facts.ts';
import { poolPaused } from './pool-paused.ts';

it('is found where nodes of a paused pool wait for a change', () => {
  const fleet = new Fleet().pool('worker', 2, { paused: true, configuration: { name: NEW } });
  const [finding] = foundIn(poolPaused, fleet);
  expect(finding).toMatchObject({
    code: 'PoolPaused',
    cause: `pool worker is paused, and 2 nodes wait for ${NEW}`,
    next: [{ command: 'millwright resume worker' }, {}],
  });
});

it('is not asserted where nothing is pending, or where the pool is not paused', () => {
  expect(foundIn(poolPaused, new Fleet().pool('worker', 2, { paused: true }))).toEqual([]);
  expect(foundIn(poolPaused, new Fleet().pool('worker', 2, { configuration: { name: NEW } }))).toEqual([]);
});
