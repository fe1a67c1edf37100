import { afterEach, describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import {
  type NodeCluster,
  type NodeClusterOptions,
  startNodeCluster,
} from '../../../../test/support/node-cluster.ts';
import { event, node, type Pod, pod } from '../../../kubernetes/types/index.ts';

describe('the scheduler', () => {
  let cluster: NodeCluster;
  const begin = async (count: number, more: Omit<NodeClusterOptions, 'nodes'> = {}): Promise<void> => {
    const nodes = Array.from({ length: count }, (_, index) => ({ name: `n${index}` }));
    cluster = await startNodeCluster({ nodes, ...more });
  };
  afterEach(() => cluster.stop());

  const place = (name: string) => ({ name, namespace: 'default' });
  const nodeOf = (name: string) => cluster.pods.get(place(name))?.spec.nodeName ?? 'none';
  const whyNot = (name: string) =>
    cluster.pods.get(place(name))?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  const asking = (cpu: string): Partial<Pod['spec']> => ({
    containers: [{ name: 'app', image: 'x', resources: { requests: { cpu } } }],
  });
  const cordon = (name: string, unschedulable: boolean | null) =>
    cluster.kube.patch(node, { name }, { type: 'merge', body: { spec: { unschedulable } } });

  it('reports a fit error once, and binds the pod to the first feasible node', async () => {
    await begin(2);
    for (const name of ['n0', 'n1']) await cordon(name, true);
    await cluster.env.clock.advance(1000);
    await cluster.kube.create(pod, aPod('p'));
    await cluster.env.clock.advance(60_000);
    const message =
      '0/2 nodes are available: 2 node(s) were unschedulable. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';
    expect([nodeOf('p'), whyNot('p')]).toEqual(['none', message]);
    await cordon('n1', null);
    // Its taint goes a moment later, and a pod that has just been tried waits for a while.
    await cluster.env.clock.advance(3000);
    expect(nodeOf('p')).toBe('n1');
    const { items } = await cluster.kube.list(event);
    const about = items
      .filter(({ involvedObject, source }) => involvedObject.name === 'p' && source?.component !== 'kubelet')
      .map(({ type, reason, message: text, count }) => `${type} ${reason} ${text} ${count}`);
    expect(about).toContain(`Warning FailedScheduling ${message} 1`);
    expect(about).toContain('Normal Scheduled Successfully assigned default/p to n1 1');
  });

  it('does not warn about a pod that is schedulable within seconds', async () => {
    await begin(1);
    await cordon('n0', true);
    await cluster.env.clock.advance(1000);
    await cluster.kube.create(pod, aPod('p'));
    await cluster.env.clock.advance(3000);
    expect(whyNot('p')).toMatch(/^0\/1 nodes are available/);
    await cordon('n0', null);
    await cluster.env.clock.advance(60_000);
    expect(nodeOf('p')).toBe('n0');
    const { items } = await cluster.kube.list(event);
    expect(items.filter(({ type }) => type === 'Warning').map(({ message }) => message)).toEqual([]);
  });

  it('retries a pod when another has freed resources', async () => {
    await begin(1);
    await cluster.kube.create(pod, aPod('big', asking('3')));
    await cluster.kube.create(pod, aPod('next', asking('3')));
    await cluster.env.clock.advance(20_000);
    expect([nodeOf('big'), nodeOf('next')]).toEqual(['n0', 'none']);
    expect(whyNot('next')).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu\. /);
    await cluster.kube.delete(pod, place('big'));
    await cluster.env.clock.advance(10_000);
    expect(nodeOf('next')).toBe('n0');
  });

  it('never exceeds the capacity of a node under concurrency', async () => {
    await begin(3);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => cluster.kube.create(pod, aPod(`p${index}`, asking('1')))),
    );
    await cluster.env.clock.advance(30_000);
    const counts = new Map<string, number>();
    for (const { spec } of cluster.pods.all()) {
      counts.set(spec.nodeName ?? 'none', (counts.get(spec.nodeName ?? 'none') ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ n0: 4, n1: 4, n2: 4, none: 8 });
  });

  it('ignores pods of other schedulers and with scheduling gates', async () => {
    await begin(1);
    await cluster.kube.create(pod, aPod('theirs', { schedulerName: 'another' }));
    await cluster.kube.create(pod, aPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
    await cluster.env.clock.advance(10_000);
    expect([nodeOf('theirs'), nodeOf('gated')]).toEqual(['none', 'none']);
    const body = [{ op: 'remove', path: '/spec/schedulingGates' }];
    await cluster.kube.patch(pod, place('gated'), { type: 'json', body });
    await cluster.env.clock.advance(1000);
    expect([nodeOf('theirs'), nodeOf('gated')]).toEqual(['none', 'n0']);
  });

  it('respects pod anti-affinity', async () => {
    await begin(2);
    const labelSelector = { matchLabels: { app: 'web' } };
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector },
      ],
    };
    for (const name of ['a', 'b', 'c']) {
      await cluster.kube.create(
        pod,
        aPod(name, { affinity: { podAntiAffinity } }, { labels: { app: 'web' } }),
      );
    }
    await cluster.env.clock.advance(10_000);
    expect(['a', 'b', 'c'].map(nodeOf).toSorted()).toEqual(['n0', 'n1', 'none']);
    expect(whyNot('c')).toMatch(/2 node\(s\) didn't match pod anti-affinity rules\. /);
  });

  it('schedules correctly over an unreliable transport', async () => {
    for (const seed of [1, 2, 3]) {
      let isOn = true;
      await begin(3, {
        seed,
        isQuiet: true,
        unreliability: { lost: 0.2, cut: 0.02, lateMs: 2000, isOn: () => isOn },
      });
      for (let index = 0; index < 20; index++) {
        await cluster.ask(cluster.kube.create(pod, aPod(`p${index}`, asking('1'))));
      }
      await cluster.env.clock.advance(120_000);
      isOn = false;
      await cluster.env.clock.advance(120_000);
      const bound = [...cluster.pods.all()].flatMap(({ spec }) => spec.nodeName ?? []).toSorted();
      expect(bound).toEqual(['n0', 'n1', 'n2'].flatMap((name) => Array(4).fill(name)));
      if (seed < 3) await cluster.stop();
    }
  });
});
