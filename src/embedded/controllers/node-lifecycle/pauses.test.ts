/** The process of all controllers and kubelets is stopped for a while, or its machine sleeps: no node counts as lost. */
import { afterEach, describe, expect, it } from 'vitest';
import { aPod } from '../../../../test/support/a-pod.ts';
import { type NodeCluster, startNodeCluster } from '../../../../test/support/node-cluster.ts';
import { event, pod, type Toleration } from '../../../kubernetes/types/index.ts';
import type { VirtualClock } from '../../../simulation/virtual-clock.ts';

const MINUTE = 60_000;
const NODES = ['n0', 'n1', 'n2'];

describe('after a pause of the whole process', () => {
  let cluster: NodeCluster;
  afterEach(() => cluster.stop());

  const begin = async (tolerationSeconds: number): Promise<void> => {
    cluster = await startNodeCluster({ nodes: NODES.map((name) => ({ name })) });
    const tolerations: readonly Toleration[] = [
      { operator: 'Exists', effect: 'NoExecute', tolerationSeconds },
      { operator: 'Exists', effect: 'NoSchedule' },
    ];
    for (const name of NODES)
      await cluster.kube.create(pod, aPod(`on-${name}`, { nodeName: name, tolerations }));
    await cluster.env.clock.advance(20_000);
  };
  const taints = () =>
    NODES.flatMap((name) => cluster.nodes.get({ name })?.spec.taints ?? []).map(({ key }) => key);
  const leaving = () =>
    NODES.filter((name) => {
      const found = cluster.pods.get({ name: `on-${name}`, namespace: 'default' });
      return found === undefined || found.metadata.deletionTimestamp !== undefined;
    });
  const reasons = async () => (await cluster.kube.list(event)).items.map(({ reason }) => reason);

  it.each<[string, number, (clock: VirtualClock, ms: number) => unknown]>([
    ['of a minute', MINUTE, (clock, ms) => clock.stall(ms)],
    ['of an hour', 60 * MINUTE, (clock, ms) => clock.stall(ms)],
    ['of eight hours in which the machine slept', 480 * MINUTE, (clock, ms) => clock.jump(ms)],
  ])('%s no node is lost and no pod is evicted', async (_, ms, pause) => {
    await begin(0);
    await pause(cluster.env.clock, ms);
    await cluster.env.clock.advance(5 * MINUTE);
    expect([taints(), leaving()]).toEqual([[], []]);
    const all = await reasons();
    expect(all.filter((reason) => reason === 'NodeNotReady' || reason === 'TaintManagerEviction')).toEqual(
      [],
    );
  });

  it('a node that stays silent is lost after its full grace period', async () => {
    await begin(300);
    cluster.power.switchOff('n1');
    await cluster.env.clock.advance(1_000);
    await cluster.env.clock.stall(MINUTE);
    await cluster.env.clock.advance(35_000);
    expect(taints()).toEqual([]);
    await cluster.env.clock.advance(10_000);
    expect(taints()).toEqual(['node.kubernetes.io/unreachable', 'node.kubernetes.io/unreachable']);
  });

  it.each<[string, (clock: VirtualClock) => unknown]>([
    ['it was stopped', (clock) => clock.stall(60 * MINUTE)],
    ['its machine slept', (clock) => clock.jump(60 * MINUTE)],
  ])('the pods of a lost node are tolerated for as long as before, although %s', async (_, pause) => {
    await begin(300);
    cluster.power.switchOff('n1');
    await cluster.env.clock.advance(2 * MINUTE);
    expect(taints()).toEqual(['node.kubernetes.io/unreachable', 'node.kubernetes.io/unreachable']);
    await pause(cluster.env.clock);
    await cluster.env.clock.advance(2 * MINUTE);
    expect(leaving()).toEqual([]);
    await cluster.env.clock.advance(5 * MINUTE);
    expect(leaving()).toEqual(['n1']);
  });
});
