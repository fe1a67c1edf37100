/**
 * The process is stopped for longer than nodes may be silent, as on a laptop that sleeps, in the middle of a drain. Nothing is
 * lost by it, and no disruption budget is violated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node, Pod } from '../../src/kubernetes/types/index.ts';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';

/** Longer than the grace period of a node, which is 40 s at any speed. */
const PAUSE_MS = 45_000;
/** Pods that would not tolerate a lost node for a moment. */
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        nodeSelector: { 'node-role.kubernetes.io/worker': '' },
        tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
        containers: [{ name: 'web', image: 'registry.example.com/web' }],
      },
    },
  },
};
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } },
};

withKubectl('a process that is stopped for a while', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '10']);
  });
  afterAll(() => cluster.end());

  const list = async <T>(kind: string): Promise<readonly T[]> =>
    (await cluster.object<{ readonly items: readonly T[] }>(kind)).items;
  const pods = async () => (await list<Pod>('pods')).map(({ metadata }) => metadata.uid).toSorted();

  it('loses no node, evicts no pod, and continues the drain that it began', async () => {
    await cluster.apply(JSON.stringify(WEB), JSON.stringify(BUDGET));
    await cluster.kubectl(['rollout', 'status', 'deployment/web']);
    await cluster.rendered('worker', () =>
      cluster.apply(fileConfig({ name: '50-pause', role: 'worker', path: '/etc/pause', text: 'x\n' })),
    );
    await eventually('the drain of a worker is blocked', async () => {
      const annotations = await cluster.field('nodes', '{.items[*].metadata.annotations}');
      return annotations.includes('lastRefusal') ? true : undefined;
    });
    const before = await pods();

    process.kill(cluster.up.pid, 'SIGSTOP');
    await sleep(PAUSE_MS);
    process.kill(cluster.up.pid, 'SIGCONT');
    // A heartbeat of every node, and time for evictions that follow from missing ones.
    await sleep(12_000);

    expect(await pods()).toEqual(before);
    const events = await cluster.kubectl(['get', 'events', '-A', '--no-headers']);
    expect(events.split('\n').filter((line) => /NodeNotReady|TaintManagerEviction/.test(line))).toEqual([]);
    const ready = (await list<Node>('nodes')).filter(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    expect(ready).toHaveLength(6);

    const body = JSON.stringify({ spec: { minAvailable: 2 } });
    await cluster.kubectl(['patch', 'pdb/web', '--type=merge', '-p', body]);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await cluster.field('mcp/worker', '{.status.degradedMachineCount}')).toBe('0');
    expect(await cluster.kubectl(['get', 'events', '-A', '--no-headers'])).not.toMatch(
      /DrainFailed|Degraded/,
    );
  });
});
