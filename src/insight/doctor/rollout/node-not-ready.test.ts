import { expect, it } from 'vitest';
import { Fleet, NEW } from '../../../../test/support/a-fleet.ts';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found, foundIn } from '../../../../test/support/doctor-facts.ts';
import { nodeNotReady } from './node-not-ready.ts';

const lost = (fleet: Fleet, seconds: number) => {
  fleet.kubelet('worker-1', { isReady: false });
  return fleet.pass(seconds);
};

it('is found after a minute; alone it stops nobody', () => {
  expect(foundIn(nodeNotReady, lost(new Fleet().pool('worker', 2), 59))).toEqual([]);
  expect(foundIn(nodeNotReady, lost(new Fleet().pool('worker', 2), 60))).toMatchObject([
    {
      code: 'NodeNotReady',
      stage: 'node',
      cause: 'node worker-1 is not ready: Kubelet stopped posting node status.',
    },
  ]);
});

it('stops its pool where nothing more may be unavailable', () => {
  const fleet = lost(new Fleet().pool('worker', 3, { configuration: { name: NEW } }), 90);
  expect(foundIn(nodeNotReady, fleet)).toMatchObject([
    {
      stage: 'rollout',
      cause: expect.stringMatching(/since no more than 1 of its nodes may be unavailable$/),
    },
  ]);
});

it('is no reboot of ours', () => {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-1');
  fleet.report('worker-1', { kind: 'update-found' }, { kind: 'rebooting', config: NEW });
  expect(foundIn(nodeNotReady, lost(fleet, 300))).toEqual([]);
});

it('has the time of the pressure that makes the node unfit', () => {
  const node = anObject(
    'Node',
    'worker-0',
    {
      spec: {},
      status: {
        conditions: [aCondition('Ready', 'True'), aCondition('DiskPressure', 'True', 'full', ago(70))],
      },
    },
    {
      labels: { 'node-role.kubernetes.io/worker': '' },
      annotations: { 'machineconfiguration.openshift.io/currentConfig': 'a' },
    },
  );
  const [finding] = found(nodeNotReady, [aPool('worker', { configuration: { name: 'a' } }), node]);
  expect(finding).toMatchObject({ since: ago(70), cause: 'node worker-0 is not ready: OutOfDisk=True' });
});
