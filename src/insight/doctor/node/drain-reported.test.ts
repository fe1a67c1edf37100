import { expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { annotations } from '../../../api/index.ts';
import { drainReported } from './drain-reported.ts';

const message =
  'Error: Node Drain has not succeeded. Error is: error when evicting pods/"web-0" -n "shop": global timeout reached: 1m30s The drain will not be complete until desired drainer drain-b matches current drainer uncordon-a';
const node = (drain?: string) =>
  anObject(
    'Node',
    'worker-0',
    { spec: { unschedulable: true } },
    {
      labels: { 'node-role.kubernetes.io/worker': '' },
      annotations: {
        ...{ [annotations.currentConfig]: 'a', [annotations.desiredConfig]: 'b' },
        ...{ [annotations.desiredDrain]: 'drain-b', [annotations.lastAppliedDrain]: 'uncordon-a' },
        ...(drain && { [annotations.drain]: drain }),
      },
    },
  );
const record = (since: string) =>
  anObject('MachineConfigNode', 'worker-0', {
    status: { conditions: [aCondition('Drained', 'Unknown', message, since)] },
  });
const pool = aPool('worker', { configuration: { name: 'b' } });

it('is what a MachineConfigNode of OpenShift says, with the pod', () => {
  expect(found(drainReported, [pool, node(), record(ago(60))])).toMatchObject([
    {
      code: 'DrainBlocked',
      cause:
        'the drain of node worker-0 is blocked: error when evicting pods/"web-0" -n "shop": global timeout reached: 1m30s',
      since: ago(60),
      next: [{ command: 'kubectl -n shop get pdb' }],
    },
  ]);
});

it('is left to the record of our own drain controller, and to the first five seconds', () => {
  const ours = JSON.stringify({
    request: 'drain-b',
    cordonedBy: 'millwright',
    began: ago(9),
    attempts: 1,
    attemptBegan: ago(9),
  });
  expect(found(drainReported, [pool, node(ours), record(ago(60))])).toEqual([]);
  expect(found(drainReported, [pool, node(), record(ago(4))])).toEqual([]);
});
