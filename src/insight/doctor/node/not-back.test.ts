import { expect, it } from 'vitest';
import { Fleet, NEW } from '../../../../test/support/a-fleet.ts';
import { foundIn, texts } from '../../../../test/support/doctor-facts.ts';
import { notBack } from './not-back.ts';

const rebooting = (isReady: boolean, seconds: number) => {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'update-found' }, { kind: 'rebooting', config: NEW });
  fleet.kubelet('worker-0', { isReady });
  return fleet.pass(seconds);
};

it('is a machine, or its daemon, ten minutes after the reboot', () => {
  expect(foundIn(notBack, rebooting(false, 590))).toEqual([]);
  expect(texts(foundIn(notBack, rebooting(false, 610)))).toEqual([
    'NodeNotBack: node worker-0 has not come back from the reboot of its update',
  ]);
  expect(texts(foundIn(notBack, rebooting(true, 610)))).toEqual([
    'DaemonNotBack: node worker-0 is ready again after the reboot of its update, but its daemon has not reported',
  ]);
});

it('is no machine that refuses to reboot, which its daemon has reported', () => {
  const fleet = rebooting(true, 1);
  fleet.report('worker-0', { kind: 'failed', error: 'reboot command failed', phase: 'reboot' });
  expect(foundIn(notBack, fleet.pass(900))).toEqual([]);
});
