import { describe, expect, it } from 'vitest';
import { Fleet } from '../../../../test/support/a-fleet.ts';
import { aCondition, anObject, foundIn, needs, texts } from '../../../../test/support/doctor-facts.ts';
import { annotations } from '../../../api/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { daemonNotRunning } from './daemon-not-running.ts';

const namespace = 'openshift-machine-config-operator';
const at = (fleet: Fleet, secondsAgo: number) => new Date(fleet.nowMs - secondsAgo * 1000).toISOString();

/** A node that was given a config, which nothing has reacted to. */
function silent(secondsAgo: number): Fleet {
  const fleet = new Fleet().pool('worker', 2);
  fleet.send('worker-0');
  const life = fleet.life('worker-0');
  const fieldsV1 = { 'f:metadata': { 'f:annotations': { [`f:${annotations.desiredConfig}`]: {} } } };
  const managedFields = [
    { manager: 'controller', operation: 'Update', time: at(fleet, secondsAgo), fieldsV1 },
  ];
  life.node = { ...life.node, metadata: { ...life.node.metadata, managedFields } } as unknown as Node;
  return fleet;
}

const pod = (fleet: Fleet, secondsAgo: number, reason: string) =>
  anObject(
    'Pod',
    'daemon-x',
    {
      spec: { nodeName: 'worker-1' },
      status: {
        conditions: [aCondition('Ready', 'False', '', at(fleet, secondsAgo))],
        containerStatuses: [{ name: 'machine-config-daemon', state: { waiting: { reason } } }],
      },
    },
    { namespace, labels: { 'k8s-app': 'machine-config-daemon' } },
  );

describe('a daemon that does not run', () => {
  it('is found by a config that nothing has reacted to for a minute', () => {
    expect(foundIn(daemonNotRunning, silent(59))).toEqual([]);
    expect(texts(foundIn(daemonNotRunning, silent(60)))[0]).toMatch(
      /^DaemonNotRunning: the daemon of node worker-0 does not run: nothing on the node reacts to rendered-worker-/,
    );
  });

  it('is found by its pod, a minute after it was ready for the last time', () => {
    const fleet = new Fleet().pool('worker', 2);
    expect(foundIn(daemonNotRunning, fleet, pod(fleet, 30, 'CrashLoopBackOff'))).toEqual([]);
    const [finding] = foundIn(daemonNotRunning, fleet, pod(fleet, 90, 'CrashLoopBackOff'));
    expect(finding).toMatchObject({ code: 'DaemonNotRunning', about: { name: 'worker-1' } });
    expect(finding?.evidence.map(({ value }) => value)).toContain('CrashLoopBackOff');
  });

  it('is found where none has ever reported', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.withoutDaemon('worker-7', 'worker');
    expect(texts(foundIn(daemonNotRunning, fleet))).toEqual([
      'DaemonNotRunning: node worker-7 has no daemon: it is not updated until the DaemonSet machine-config-daemon runs on it',
    ]);
  });

  it('is not looked for on a machine that is down', () => {
    const fleet = silent(600);
    fleet.kubelet('worker-0', { isReady: false });
    expect(foundIn(daemonNotRunning, fleet)).toEqual([]);
  });

  it('has its pods read only where one of these is so', () => {
    const fleet = silent(600);
    const looking = { nowMs: fleet.nowMs };
    expect(needs(daemonNotRunning, fleet.objects(), looking)).toMatchObject([
      { namespace, labelSelector: 'k8s-app=machine-config-daemon' },
    ]);
    expect(needs(daemonNotRunning, new Fleet().pool('worker', 2).objects(), looking)).toEqual([]);
  });
});
