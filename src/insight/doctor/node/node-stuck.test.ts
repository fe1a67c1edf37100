import { expect, it } from 'vitest';
import { aRefusal, Fleet, NEW } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { noChange } from '../../../../test/support/node-life.ts';
import { nodeStuck } from './node-stuck.ts';

const applying = (seconds: number) => {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  fleet.report(
    'worker-0',
    { kind: 'update-found' },
    { kind: 'applying', change: { ...noChange, files: true } },
  );
  return fleet.pass(seconds);
};

it('is found after an hour in one phase', () => {
  expect(foundIn(nodeStuck, applying(3_500))).toEqual([]);
  expect(texts(foundIn(nodeStuck, applying(3_610)))).toEqual([
    'NodeStuck: node worker-0 has been applying files and OS for more than an hour, and reports no error',
  ]);
});

it('is left to other rules where it is drained, reboots, or has reported an error', () => {
  const draining = new Fleet().pool('worker', 2);
  draining.send('worker-0');
  draining.report('worker-0', { kind: 'update-found' });
  draining.drain('worker-0', { lastRefusal: aRefusal });
  expect(foundIn(nodeStuck, draining.pass(9_999))).toEqual([]);
  const rebooting = new Fleet().pool('worker', 2);
  rebooting.send('worker-0');
  rebooting.report('worker-0', { kind: 'update-found' }, { kind: 'rebooting', config: NEW });
  expect(foundIn(nodeStuck, rebooting.pass(9_999))).toEqual([]);
  const failing = applying(1);
  failing.report('worker-0', { kind: 'failed', error: 'x' });
  expect(foundIn(nodeStuck, failing.pass(9_999))).toEqual([]);
});
