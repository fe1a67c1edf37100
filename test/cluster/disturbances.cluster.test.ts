/** Rollouts end, and keep their promises, whatever happens to the cluster meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { node as nodeKind, pod as podKind } from '../../src/kubernetes/types/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { mostCordoned } from './audit.ts';
import { type Cluster, type NodeName, startCluster } from './cluster.ts';
import { BUSYBOX_IMAGE } from './images.ts';
import { eventually, installMillwright, NAMESPACE, ROLLOUT_LIMIT_MS, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';

const programs = await findPrograms();
const ETCD_OUTAGE_MS = 30_000;

describe.skipIf('unavailable' in programs)('a rollout', () => {
  let cluster: Cluster;
  let stories = 0;
  beforeAll(async () => {
    if ('unavailable' in programs) return;
    cluster = await startCluster({ programs });
    await installMillwright(cluster);
    await untilUpdated(cluster);
  });
  afterAll(() => cluster?.stop());

  /** Declares a file that nodes reboot for. Returns what waits until all nodes have it. */
  const declareFile = async () => {
    const after = await untilUpdated(cluster);
    const text = `story ${++stories}\n`;
    await cluster.kube.apply(machineConfigKind, aConfig('50-story', { files: { '/etc/story': text } }));
    return async () => {
      await untilUpdated(cluster, { after });
      for (const { name, output } of cluster.machines)
        expect([name, await output('cat', '/etc/story')]).toEqual([name, text.trim()]);
      expect(mostCordoned(await cluster.drainRequests())).toBe(1);
    };
  };

  const isCordoned = async () => {
    const { items } = await cluster.kube.list(nodeKind);
    return items.find(({ spec }) => spec.unschedulable === true)?.metadata.name;
  };
  const untilCordoned = async (): Promise<string> => {
    let name: string | undefined;
    await eventually(cluster, 'a node is cordoned', ROLLOUT_LIMIT_MS, async () => {
      name = await isCordoned();
      return name !== undefined;
    });
    return name ?? '';
  };

  /** The process that acts. */
  const leader = () => {
    const lease = ['get', 'lease', 'machine-config-controller', '-n', NAMESPACE];
    return cluster.kubectl([...lease, '-o', 'jsonpath={.spec.holderIdentity}']);
  };

  it('waits for a disruption budget, and goes on once it permits', async () => {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(GUARDED));
    await eventually(cluster, 'the guarded pod runs', ROLLOUT_LIMIT_MS, async () => {
      const { items } = await cluster.kube.list(podKind, { namespace: 'default' });
      return items.some(({ status }) => status?.phase === 'Running');
    });
    const [pod] = (await cluster.kube.list(podKind, { namespace: 'default' })).items;
    const isUpdated = await declareFile();
    await eventually(cluster, 'the eviction was refused', ROLLOUT_LIMIT_MS, async () => {
      const requests = await cluster.drainRequests();
      return requests.some((request) => request === `evict default/${pod?.metadata.name}`);
    });
    const still = await cluster.kube.get(podKind, {
      namespace: 'default',
      name: pod?.metadata.name ?? '',
    });
    expect([still?.metadata.uid, still?.metadata.deletionTimestamp]).toEqual([pod?.metadata.uid, undefined]);
    expect(await isCordoned()).toBe('debian-0');
    await cluster.kubectl(['delete', 'pdb', 'guard']);
    await isUpdated();
    await cluster.kubectl(['delete', 'deployment', 'guarded']);
  });

  it('ends when the controllers are killed', async () => {
    const isUpdated = await declareFile();
    await untilCordoned();
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
    await isUpdated();
  });

  it('ends when the API server is restarted', async () => {
    const isUpdated = await declareFile();
    await untilCordoned();
    await cluster.stopServer('kube-apiserver');
    await cluster.startServer('kube-apiserver');
    await isUpdated();
  });

  it('ends when etcd is away for half a minute', async () => {
    const isUpdated = await declareFile();
    await untilCordoned();
    await cluster.stopServer('etcd');
    await sleep(ETCD_OUTAGE_MS);
    await cluster.startServer('etcd');
    await isUpdated();
  });

  it('ends when a node loses its power in the middle of its update', async () => {
    const isUpdated = await declareFile();
    // Its keys are the names of the machines.
    const name = (await untilCordoned()) as NodeName;
    const { machine } = cluster.machine(name);
    await machine.cutPower();
    await machine.start();
    await isUpdated();
  });
});

/** A pod that may not be evicted. */
const GUARDED = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'guarded' },
      spec: {
        selector: { matchLabels: { app: 'guarded' } },
        template: {
          metadata: { labels: { app: 'guarded' } },
          spec: {
            nodeSelector: { 'kubernetes.io/hostname': 'debian-0' },
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
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    },
  ],
};
