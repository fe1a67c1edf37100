import { expect, it } from 'vitest';
import { aRefusal, Fleet } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import type { DrainRecord } from '../../../rollout/index.ts';
import { uncordonedDuringDrain } from './uncordoned-during-drain.ts';

const draining = (record: Partial<DrainRecord>) => {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'update-found' });
  fleet.drain('worker-0', record);
  return fleet;
};

it('is named after five attempts that nothing refused', () => {
  expect(texts(foundIn(uncordonedDuringDrain, draining({ attempts: 5 })))).toEqual([
    'UncordonedDuringDrain: another client uncordons node worker-0 while it is drained: it was cordoned 5 times, and no eviction was refused',
  ]);
});

it.each<[string, Partial<DrainRecord>]>([
  ['fewer attempts', { attempts: 4 }],
  ['an eviction that was refused', { attempts: 9, lastRefusal: aRefusal }],
  ['attempts that timed out', { attempts: 9, lastError: 'global timeout reached' }],
])('is not asserted for %s', (_, record) => {
  expect(foundIn(uncordonedDuringDrain, draining(record))).toEqual([]);
});
