import { expect, it } from 'vitest';
import { Fleet } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { cordonFailed } from './cordon-failed.ts';

const draining = (verb?: 'cordon' | 'uncordon') => {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'update-found' });
  const message = `node worker-0: failed to ${verb} (1 tries): nodes "worker-0" is forbidden`;
  fleet.drain('worker-0', verb === undefined ? {} : { cordonError: { verb, message } });
  return fleet;
};

it('is named with the answer of the server', () => {
  expect(texts(foundIn(cordonFailed, draining('cordon')))).toEqual([
    'FailedToCordon: node worker-0 cannot be cordoned: failed to cordon (1 tries): nodes "worker-0" is forbidden',
  ]);
});

it('is not asserted of a drain without such an error, nor of one that belongs to the other request', () => {
  expect(foundIn(cordonFailed, draining())).toEqual([]);
  expect(foundIn(cordonFailed, draining('uncordon'))).toEqual([]);
});
