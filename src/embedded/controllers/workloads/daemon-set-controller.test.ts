/** DaemonSets as nodes come, change and go, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { aDaemonSet, aTemplate, NAMESPACE } from '../../../../test/support/build-workloads.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../../test/support/workload-cluster.ts';
import { type DaemonSet, daemonSet, node, pod } from '../../../kubernetes/types/index.ts';
import { targetNode } from './daemon-pods.ts';
import { isReady } from './pod-state.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start() {
  cluster = await startWorkloadCluster();
  const { kube, ask, until, cacheOf, env } = cluster;
  const [sets, pods] = [cacheOf(daemonSet), cacheOf(pod)];
  const place = { namespace: NAMESPACE, name: 'agent' };
  const patchNode = (name: string, body: object) => ask(kube.patch(node, { name }, { type: 'merge', body }));
  return {
    env,
    kube,
    ask,
    until,
    pods,
    place,
    patchNode,
    make: (spec: Partial<DaemonSet['spec']> = {}) =>
      ask(kube.create(daemonSet, { ...aDaemonSet(spec), metadata: { ...place } })),
    async join(name: string, labels = {}) {
      await ask(kube.create(node, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} }));
      // A node that joins is not ready at first, which its kubelet would change.
      await patchNode(name, { spec: { taints: null } });
    },
    status: () => sets.get(place)?.status,
    places: () => [...pods.all()].map((one) => targetNode(one)).sort(),
    image: (image: string) =>
      ask(
        kube.patch(daemonSet, place, {
          type: 'merge',
          body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
        }),
      ),
  };
}

describe('a daemon set', () => {
  it('follows added, changed and deleted nodes', async () => {
    const { make, join, until, places, patchNode, ask, kube, status } = await start();
    await join('a', { pool: 'x' });
    await make({ template: aTemplate('a', { nodeSelector: { pool: 'x' } }) });
    await until(() => status()?.numberReady === 1);
    await join('b', { pool: 'x' });
    await join('c', { pool: 'y' });
    await until(() => status()?.numberReady === 2);
    expect(places()).toEqual(['a', 'b']);
    await patchNode('c', { metadata: { labels: { pool: 'x' } } });
    await patchNode('a', { metadata: { labels: { pool: 'y' } } });
    await until(() => places().join() === 'b,c' && status()?.numberReady === 2);
    await patchNode('b', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await until(() => places().join() === 'c');
    await ask(kube.delete(node, { name: 'c' }));
    await until(() => status()?.desiredNumberScheduled === 0);
  });

  it('keeps pods on unhealthy nodes', async () => {
    const { make, join, until, places, patchNode, env, status } = await start();
    await join('a');
    await make();
    await until(() => status()?.numberReady === 1);
    const taints = ['not-ready', 'unreachable'].map((what) => ({
      key: `node.kubernetes.io/${what}`,
      effect: 'NoExecute',
    }));
    await patchNode('a', { spec: { unschedulable: true, taints } });
    await env.clock.advance(60_000);
    expect(places()).toEqual(['a']);
    expect(status()).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 0 });
  });

  it('is updated node by node', async () => {
    const { make, join, until, image, pods, status } = await start();
    for (const name of ['a', 'b', 'c', 'd']) await join(name);
    await make();
    await until(() => status()?.numberReady === 4);
    let fewest = 4;
    pods.onChange(() => {
      const staying = [...pods.all()].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      fewest = Math.min(fewest, staying.filter(isReady).length);
    });
    await image('b');
    await until(() => status()?.updatedNumberScheduled === 4 && status()?.numberAvailable === 4);
    expect(fewest).toBe(3);
    expect([...pods.all()].map(({ spec }) => spec.containers[0]?.image)).toEqual(['b', 'b', 'b', 'b']);
  });

  it('is deleted with its pods', async () => {
    const { make, join, until, ask, kube, place, pods, status } = await start();
    await join('a');
    await make();
    await until(() => status()?.numberReady === 1);
    await ask(kube.delete(daemonSet, place, { propagationPolicy: 'Foreground' }));
    await until(() => status() === undefined);
    expect([...pods.all()]).toEqual([]);
  });
});
