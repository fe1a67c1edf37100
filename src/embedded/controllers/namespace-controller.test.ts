/** Namespaces from their first day to their last, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { aDeployment, NAMESPACE } from '../../../test/support/build-workloads.ts';
import {
  startWorkloadCluster,
  type WorkloadCluster,
  type WorkloadClusterOptions,
} from '../../../test/support/workload-cluster.ts';
import { configMap, deployment, namespace, pod, serviceAccount } from '../../kubernetes/types/index.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(options?: WorkloadClusterOptions) {
  cluster = await startWorkloadCluster(options);
  const { kube, ask, until, cacheOf, env } = cluster;
  const [namespaces, maps, pods] = [cacheOf(namespace), cacheOf(configMap), cacheOf(pod)];
  const bundle = { name: 'kube-root-ca.crt', namespace: NAMESPACE };
  return {
    env,
    kube,
    ask,
    until,
    pods,
    maps,
    bundle,
    cacheOf,
    one: () => namespaces.get({ name: NAMESPACE }),
    remove: () => ask(kube.delete(namespace, { name: NAMESPACE })),
    hold: (name: string) =>
      ask(
        kube.create(configMap, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: NAMESPACE, finalizers: ['example.com/hold'] },
        }),
      ),
    free: (name: string) => {
      const patch = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
      return ask(kube.patch(configMap, { name, namespace: NAMESPACE }, patch));
    },
    condition: (type: string) =>
      namespaces.get({ name: NAMESPACE })?.status?.conditions?.find((other) => other.type === type),
  };
}

describe('a namespace', () => {
  it('gets its ServiceAccount and CA bundle recreated', async () => {
    const { ask, kube, until, maps, bundle, cacheOf } = await start();
    const accounts = cacheOf(serviceAccount);
    const account = { name: 'default', namespace: NAMESPACE };
    const before = accounts.get(account)?.metadata.uid;
    await ask(kube.delete(serviceAccount, account));
    await until(() => ![undefined, before].includes(accounts.get(account)?.metadata.uid));
    await ask(kube.patch(configMap, bundle, { type: 'merge', body: { data: { 'ca.crt': 'no' } } }));
    await until(() => maps.get(bundle)?.data?.['ca.crt'] === 'PEM');
    await ask(kube.delete(configMap, bundle));
    await until(() => maps.get(bundle)?.data?.['ca.crt'] === 'PEM');
  });

  it('is deleted with its content, and nothing is recreated meanwhile', async () => {
    const { ask, kube, until, one, remove, pods, maps, env } = await start();
    const web = { ...aDeployment({ replicas: 3 }), metadata: { name: 'web', namespace: NAMESPACE } };
    await ask(kube.create(deployment, web));
    await until(() => [...pods.all()].length === 3);
    await remove();
    await until(() => one() === undefined);
    await env.clock.advance(60_000);
    expect([...pods.all(), ...maps.all()].filter(({ metadata }) => metadata.namespace === NAMESPACE)).toEqual(
      [],
    );
    expect(env.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('reports remaining content until it is empty', async () => {
    const { until, one, remove, hold, free, condition } = await start();
    await hold('a');
    await hold('b');
    await remove();
    await until(() => condition('NamespaceFinalizersRemaining')?.status === 'True');
    expect(condition('NamespaceFinalizersRemaining')?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances',
    );
    expect(condition('NamespaceContentRemaining')?.message).toBe(
      'Some resources are remaining: configmaps. has 2 resource instances',
    );
    await free('a');
    await until(() => condition('NamespaceContentRemaining')?.message?.includes('has 1') === true);
    await free('b');
    await until(() => one() === undefined);
  });

  it('keeps other objects until its pods are gone', async () => {
    const { ask, kube, until, one, remove, pods, maps, bundle, condition } = await start();
    const place = { name: 'web', namespace: NAMESPACE };
    await ask(kube.create(deployment, { ...aDeployment({ replicas: 1 }), metadata: { ...place } }));
    await until(() => [...pods.all()].length === 1);
    const [first] = [...pods.all()];
    const podPlace = { name: first?.metadata.name ?? '', namespace: NAMESPACE };
    const patch = (finalizers: readonly string[] | null) =>
      ask(kube.patch(pod, podPlace, { type: 'merge', body: { metadata: { finalizers } } }));
    await patch(['example.com/hold']);
    await remove();
    await until(() => condition('NamespaceContentRemaining')?.message?.includes('pods.') === true);
    expect(maps.get(bundle)).toBeDefined();
    await patch(null);
    await until(() => one() === undefined);
  });

  it('with foreign finalizers remains, empty', async () => {
    const { ask, kube, until, one, remove, env } = await start();
    const seen = one();
    if (seen === undefined) throw new Error('the namespace is there');
    const spec = { finalizers: ['kubernetes', 'example.com/hold'] };
    await ask(kube.update(namespace, { ...seen, spec }, { subresource: 'finalize' }));
    await remove();
    await until(() => one()?.spec?.finalizers?.length === 1);
    await env.clock.advance(60_000);
    expect(one()?.spec?.finalizers).toEqual(['example.com/hold']);
  });
});
