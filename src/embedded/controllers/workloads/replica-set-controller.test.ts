/** ReplicaSets by themselves, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { aReplicaSet, aTemplate, NAMESPACE } from '../../../../test/support/build-workloads.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../../test/support/workload-cluster.ts';
import {
  namespace,
  type Pod,
  pod,
  type ReplicaSet,
  replicaSet,
  serviceAccount,
} from '../../../kubernetes/types/index.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start() {
  cluster = await startWorkloadCluster();
  const { kube, ask, until, cacheOf, env } = cluster;
  const [sets, pods] = [cacheOf(replicaSet), cacheOf(pod)];
  const place = { namespace: NAMESPACE, name: 'web' };
  return {
    env,
    kube,
    ask,
    until,
    pods,
    place,
    make: (spec: Partial<ReplicaSet['spec']>) =>
      ask(kube.create(replicaSet, { ...aReplicaSet('web', spec), metadata: { ...place } })),
    set: () => sets.get(place),
    names: () => [...pods.all()].map(({ metadata }) => metadata.name).sort(),
  };
}

const stray: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'stray', namespace: NAMESPACE, labels: { app: 'web' } },
  spec: aTemplate().spec,
};

describe('a replica set', () => {
  it('adopts an orphan, and creates one pod less', async () => {
    const { ask, kube, make, until, set, names, pods } = await start();
    await ask(kube.create(pod, stray));
    await make({ replicas: 2 });
    await until(() => set()?.status?.availableReplicas === 2);
    expect(names()).toEqual(['stray', expect.stringMatching(/^web-/)]);
    const owned = pods.get({ namespace: NAMESPACE, name: 'stray' })?.metadata.ownerReferences;
    expect(owned).toMatchObject([{ kind: 'ReplicaSet', name: 'web', controller: true }]);
  });

  it('releases a pod that no longer matches, and creates another', async () => {
    const { ask, kube, make, until, set, names, pods } = await start();
    await make({ replicas: 1 });
    await until(() => set()?.status?.availableReplicas === 1);
    const [name = ''] = names();
    const place = { namespace: NAMESPACE, name };
    await ask(kube.patch(pod, place, { type: 'merge', body: { metadata: { labels: { app: 'aside' } } } }));
    await until(() => names().length === 2 && set()?.status?.availableReplicas === 1);
    expect(pods.get(place)?.metadata.ownerReferences).toBeUndefined();
  });

  it('reports rejected pods, retries, and clears the condition', async () => {
    const { make, ask, kube, until, set } = await start();
    await make({ replicas: 1, template: aTemplate('a', { serviceAccountName: 'late' }) });
    await until(() => set()?.status?.conditions?.[0]?.reason === 'FailedCreate');
    expect(set()?.status?.conditions?.[0]?.message).toContain('serviceaccount "late" not found');
    const account = { metadata: { name: 'late', namespace: NAMESPACE } };
    await ask(kube.create(serviceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', ...account }));
    await until(() => set()?.status?.availableReplicas === 1, 120_000);
    expect(set()?.status?.conditions).toBeUndefined();
  });

  it('never has surplus pods under repeated reconciles', async () => {
    const { make, ask, kube, until, set, pods, place } = await start();
    const uids = new Set<string>();
    pods.onChange(({ before, after }) => uids.add((after ?? before)?.metadata.uid ?? ''));
    await make({ replicas: 20 });
    for (const note of ['a', 'b', 'c']) {
      await ask(
        kube.patch(replicaSet, place, { type: 'merge', body: { metadata: { annotations: { note } } } }),
      );
    }
    await until(() => set()?.status?.availableReplicas === 20);
    expect(uids.size).toBe(20);
  });

  it('counts a pod as available after minReadySeconds', async () => {
    const { make, until, set, env } = await start();
    await make({ replicas: 1, minReadySeconds: 30 });
    await until(() => set()?.status?.readyReplicas === 1);
    const readyAt = env.clock.now();
    expect(set()?.status?.availableReplicas).toBeUndefined();
    await until(() => set()?.status?.availableReplicas === 1, 60_000);
    expect(env.clock.now() - readyAt).toBeGreaterThan(28_000);
  });

  it('ignores pods of a terminating namespace', async () => {
    const { make, ask, kube, until, set, names, env } = await start();
    await make({ replicas: 1 });
    await until(() => set()?.status?.availableReplicas === 1);
    const [name = ''] = names();
    const hold = { metadata: { finalizers: ['example.com/hold'] } };
    await ask(kube.patch(pod, { namespace: NAMESPACE, name }, { type: 'merge', body: hold }));
    await ask(kube.delete(namespace, { name: NAMESPACE }));
    await until(() => set()?.status?.replicas === 0);
    expect(names()).toEqual([name]);
    expect(env.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
