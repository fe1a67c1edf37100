/** Rollouts end, and keep their promises, whatever happens to the cluster meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { node as nodeKind, pod as podKind } from '../../src/kubernetes/types/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { mostCordoned, watchDrains } from './audit.ts';
import type { Cluster, NodeName } from './cluster.ts';
import { BUSYBOX_IMAGE } from './images.ts';
import { eventually, installMillwright, NAMESPACE, ROLLOUT_LIMIT_MS, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const ETCD_OUTAGE_MS = 30_000;

describe.skipIf('unavailable' in programs)('a rollout', () => {
  let cluster: Cluster;
  let declared = { after: '', drains: async (): Promise<readonly string[]> => [] };
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster);
    const after = await untilUpdated(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(GUARDED));
    await eventually(cluster, 'a guarded pod runs on each node', ROLLOUT_LIMIT_MS, async () => {
      return (await guardedPods()).length === cluster.machines.length;
    });
    declared = { after, drains: await watchDrains(cluster) };
    const files = { '/etc/disturbed': 'declared\n' };
    await cluster.kube.apply(machineConfigKind, aConfig('50-disturbed', { files }));
  });

  const guardedPods = async () => {
    const selection = { namespace: 'default', labelSelector: 'app=guarded' };
    const { items } = await cluster.kube.list(podKind, selection);
    const running = items.filter(({ metadata, status }) => {
      return status?.phase === 'Running' && metadata.deletionTimestamp === undefined;
    });
    return running.map(({ metadata }) => `${metadata.uid}`).sort();
  };

  /** Of the pods that the budget guards. */
  const evictions = async () =>
    (await declared.drains()).filter((request) => request.startsWith('evict default/guarded-')).length;
  const untilEvictedAgain = async () => {
    const before = await evictions();
    await eventually(cluster, 'an eviction is asked for', ROLLOUT_LIMIT_MS, async () => {
      return (await evictions()) > before;
    });
  };

  const cordoned = async () => {
    const { items } = await cluster.kube.list(nodeKind);
    const one = items.find(({ spec }) => spec.unschedulable === true);
    // The nodes are named as the machines are.
    return one?.metadata.name as NodeName | undefined;
  };
  const untilCordoned = async (isMeant: (node: NodeName) => boolean): Promise<NodeName> => {
    let name: NodeName | undefined;
    await eventually(cluster, 'a node is cordoned', ROLLOUT_LIMIT_MS, async () => {
      name = await cordoned();
      return name !== undefined && isMeant(name);
    });
    return name ?? 'debian-0';
  };

  /** The process that acts. */
  const leader = () => {
    const lease = ['get', 'lease', 'machine-config-controller', '-n', NAMESPACE];
    return cluster.kubectl([...lease, '-o', 'jsonpath={.spec.holderIdentity}']);
  };

  const disturbed: NodeName[] = [];

  it('waits for a disruption budget', async () => {
    const pods = await guardedPods();
    disturbed.push(await untilCordoned(() => true));
    await untilEvictedAgain();
    expect(await guardedPods()).toEqual(pods);
  });

  it('is taken over where it was when the controllers are killed', async () => {
    const before = await leader();
    // Its first character in brackets, so that the pattern does not find itself.
    const kill = ['pkill', '--signal=KILL', '--full', 'main[.]js controller'];
    await Promise.all(cluster.machines.map(({ machine }) => machine.run(kill, { allowsFailure: true })));
    await eventually(
      cluster,
      'another process leads',
      ROLLOUT_LIMIT_MS,
      async () => (await leader()) !== before,
    );
    await untilEvictedAgain();
    expect(await cordoned()).toBe(disturbed[0]);
  });

  it('goes on where it was when the API server is restarted', async () => {
    const pods = await guardedPods();
    await cluster.stopServer('kube-apiserver');
    await cluster.startServer('kube-apiserver');
    await untilEvictedAgain();
    expect(await cordoned()).toBe(disturbed[0]);
    expect(await guardedPods()).toEqual(pods);
  });

  it('goes on once the budget permits, and when etcd is away for half a minute', async () => {
    await cluster.kubectl(['delete', 'pdb', 'guard']);
    disturbed.push(await untilCordoned((name) => !disturbed.includes(name)));
    await cluster.stopServer('etcd');
    await sleep(ETCD_OUTAGE_MS);
    await cluster.startServer('etcd');
    disturbed.push(await untilCordoned((name) => !disturbed.includes(name)));
  });

  it('ends, one node after the other, when the last one loses its power in the middle of its update', async () => {
    const { machine } = cluster.machine(disturbed.at(-1) ?? 'debian-0');
    await machine.cutPower();
    await machine.start();
    await untilUpdated(cluster, declared);
    for (const { name, output } of cluster.machines)
      expect([name, await output('cat', '/etc/disturbed')]).toEqual([name, 'declared']);
    expect(mostCordoned(await declared.drains())).toBe(1);
    expect(disturbed.toSorted()).toEqual(cluster.machines.map(({ name }) => name).toSorted());
    await cluster.kubectl(['delete', 'deployment', 'guarded']);
  });
});

/** A pod on each node, of which none may be evicted. */
const GUARDED = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'guarded' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'guarded' } },
        template: {
          metadata: { labels: { app: 'guarded' } },
          spec: {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  {
                    labelSelector: { matchLabels: { app: 'guarded' } },
                    topologyKey: 'kubernetes.io/hostname',
                  },
                ],
              },
            },
            terminationGracePeriodSeconds: 1,
            containers: [{ name: 'sleep', image: BUSYBOX_IMAGE, command: ['sleep', '100000'] }],
          },
        },
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'guard' },
      spec: { minAvailable: 3, selector: { matchLabels: { app: 'guarded' } } },
    },
  ],
};
