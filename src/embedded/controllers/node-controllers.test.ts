import { describe, expect, it } from 'vitest';
import { aPod } from '../../../test/support/a-pod.ts';
import { type NodeCluster, startNodeCluster } from '../../../test/support/node-cluster.ts';
import { deployment, node, type Pod, pod, podDisruptionBudget } from '../../kubernetes/types/index.ts';
import { isActive, isReady } from './workloads/pod-state.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}` }));

describe('a cluster of simulated nodes', () => {
  it('drains a node within a disruption budget', async () => {
    const cluster = await startNodeCluster({ nodes: names(4), hasWorkloads: true });
    const { kube, env, pods } = cluster;
    const web = { matchLabels: { app: 'web' } };
    const metadata = { name: 'web', namespace: 'default' };
    await kube.create(deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 8,
        selector: web,
        template: {
          metadata: {
            labels: { app: 'web' },
            annotations: { 'millwright.dev/simulated-termination-seconds': '20' },
          },
          spec: { containers: [{ name: 'app', image: 'registry.example/web:1' }] },
        },
      },
    });
    await kube.create(podDisruptionBudget, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { minAvailable: 7, selector: web },
    });
    await env.clock.advance(30_000);
    expect([...pods.all()].filter(isReady)).toHaveLength(8);

    let fewest = 8;
    pods.onChange(() => {
      fewest = Math.min(fewest, [...pods.all()].filter((one) => isReady(one) && isActive(one)).length);
    });
    await kube.patch(node, { name: 'n1' }, { type: 'merge', body: { spec: { unschedulable: true } } });
    const onNode = () => [...pods.all()].filter(({ spec }) => spec.nodeName === 'n1');
    expect(onNode()).toHaveLength(2);
    let refusals = 0;
    for (let tries = 0; tries < 60 && onNode().length > 0; tries++) {
      for (const { metadata: about } of onNode().filter(isActive)) {
        const { kind } = await kube.evict({ name: about.name, namespace: 'default' });
        if (kind === 'refused') refusals += 1;
      }
      await env.clock.advance(1000);
    }
    await env.clock.advance(30_000);
    expect([onNode(), fewest]).toEqual([[], 7]);
    expect(refusals).toBeGreaterThan(0);
    const left = [...pods.all()].map(({ spec }) => spec.nodeName).toSorted();
    expect(left).toEqual(['n0', 'n0', 'n0', 'n2', 'n2', 'n2', 'n3', 'n3']);
    await cluster.stop();
  });

  it('spreads a thousand pods of one owner evenly over fifty nodes', async () => {
    const cluster = await startNodeCluster({ nodes: names(50), isQuiet: true });
    await create(cluster, 1000);
    await cluster.env.clock.advance(60_000);
    const counts = new Map<string, number>();
    for (const { spec } of cluster.pods.all()) {
      counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1);
    }
    expect([counts.size, ...new Set(counts.values())]).toEqual([50, 20]);
    expect([...cluster.pods.all()].filter(isReady)).toHaveLength(1000);
    await cluster.stop();
  });

  it('is deterministic for a seed', async () => {
    const story = async (seed: number): Promise<readonly string[]> => {
      const nodes = names(6).map(({ name }, index) => ({
        name,
        labels: { 'topology.kubernetes.io/zone': `z${index % 3}` },
      }));
      const cluster = await startNodeCluster({ nodes, seed, isQuiet: true });
      const { env, power, kube } = cluster;
      await create(cluster, 40);
      await env.clock.advance(10_000);
      power.switchOff('n2');
      await kube.delete(pod, { name: 'p3', namespace: 'default' });
      await env.clock.advance(400_000);
      power.switchOn('n2');
      await env.clock.advance(60_000);
      await cluster.stop();
      return cluster.trace;
    };
    const [first, second, other] = [await story(1), await story(1), await story(2)];
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first.at(-1)).toMatch(/gone|ready=True/);
  });
});

async function create({ kube }: NodeCluster, count: number): Promise<void> {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'set', controller: true };
  const made = Array.from(
    { length: count },
    (_, index): Pod => aPod(`p${index}`, {}, { ownerReferences: [owner] }),
  );
  await Promise.all(made.map((one) => kube.create(pod, one)));
}
