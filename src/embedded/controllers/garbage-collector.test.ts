/** Owners and what they own, of built-in and custom kinds, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { NAMESPACE } from '../../../test/support/build-workloads.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import type { AnyObject, DeleteOptions, ResourceOf } from '../../kubernetes/client/index.ts';
import type { OwnerReference } from '../../kubernetes/meta/index.ts';
import { configMap, customResourceDefinition, namespace } from '../../kubernetes/types/index.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

const widget: ResourceOf<AnyObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: {},
};

async function start() {
  cluster = await startWorkloadCluster();
  const { kube, ask, until, cacheOf, env } = cluster;
  const maps = cacheOf(configMap);
  const place = (name: string) => ({ name, namespace: NAMESPACE });
  return {
    env,
    kube,
    ask,
    until,
    maps,
    cacheOf,
    make: (name: string, owners: readonly OwnerReference[] = [], finalizers: readonly string[] = []) =>
      ask(
        kube.create(configMap, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { ...place(name), ownerReferences: owners, finalizers },
        }),
      ),
    remove: (name: string, propagationPolicy?: DeleteOptions['propagationPolicy']) =>
      ask(kube.delete(configMap, place(name), propagationPolicy === undefined ? {} : { propagationPolicy })),
    /** Takes all finalizers off. */
    free: (name: string) =>
      ask(kube.patch(configMap, place(name), { type: 'merge', body: { metadata: { finalizers: null } } })),
    find: (name: string) => maps.get(place(name)),
    names: () =>
      [...maps.all()]
        .map(({ metadata }) => metadata)
        .filter((one) => one.namespace === NAMESPACE && one.name !== 'kube-root-ca.crt')
        .map(({ name }) => name)
        .sort()
        .join(' '),
    defineWidgets: () => ask(kube.create(customResourceDefinition, widgetDefinition)),
    makeWidget: (name: string, owners: readonly OwnerReference[] = []) =>
      ask(
        kube.create(widget, {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { ...place(name), ownerReferences: owners },
        }),
      ),
  };
}

const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' as const } } },
    ],
  },
};

function reference(
  { apiVersion = '', kind = '', metadata }: AnyObject,
  blockOwnerDeletion = false,
): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', blockOwnerDeletion };
}

describe('a dependent', () => {
  it('is deleted after its owner, recursively', async () => {
    const { make, remove, until, names } = await start();
    const owner = await make('owner');
    const child = await make('child', [reference(owner)]);
    await make('grandchild', [reference(child)]);
    await make('other');
    await remove('owner');
    await until(() => names() === 'other');
  });

  it('is kept while it has another owner, and loses the dangling reference', async () => {
    const { make, remove, until, find } = await start();
    const [a, b] = [await make('a'), await make('b')];
    await make('child', [reference(a), reference(b)]);
    await remove('a');
    await until(() => find('child')?.metadata.ownerReferences?.length === 1);
    expect(find('child')?.metadata.ownerReferences).toMatchObject([{ name: 'b' }]);
    await remove('b');
    await until(() => find('child') === undefined);
  });

  it('is deleted if its owner has another UID', async () => {
    const { make, until, find } = await start();
    const owner = await make('owner');
    await make('child', [{ ...reference(owner), uid: '00000000-0000-0000-0000-000000000000' }]);
    await until(() => find('child') === undefined);
  });

  it('is kept while the kind of its owner is not served', async () => {
    const { make, until, find, env, defineWidgets } = await start();
    const uid = '00000000-0000-0000-0000-000000000000';
    await make('child', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'x', uid }]);
    await env.clock.advance(120_000);
    expect(find('child')).toBeDefined();
    await defineWidgets();
    await until(() => find('child') === undefined, 120_000);
  });

  it('is deleted before its owner in the foreground if it blocks', async () => {
    const { make, remove, free, until, find, names } = await start();
    const owner = await make('owner');
    const blocking = await make('blocking', [reference(owner, true)]);
    await make('below', [reference(blocking, true)], ['example.com/hold']);
    await make('loose', [reference(owner)], ['example.com/hold']);
    await remove('owner', 'Foreground');
    await until(() => find('below')?.metadata.deletionTimestamp !== undefined);
    expect(names()).toBe('below blocking loose owner');
    expect(find('blocking')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await free('below');
    await until(() => names() === 'loose');
    await free('loose');
    await until(() => names() === '');
  });

  it('is orphaned if its owner is deleted with Orphan', async () => {
    const { make, remove, until, find } = await start();
    const owner = await make('owner');
    await make('child', [reference(owner, true)]);
    await remove('owner', 'Orphan');
    await until(() => find('owner') === undefined);
    expect(find('child')?.metadata.ownerReferences).toBeUndefined();
  });

  it('in a cycle is deleted', async () => {
    const { make, remove, until, names, ask, kube } = await start();
    const a = await make('a');
    const b = await make('b', [reference(a, true)]);
    const body = { metadata: { ownerReferences: [reference(b, true)] } };
    await ask(kube.patch(configMap, { name: 'a', namespace: NAMESPACE }, { type: 'merge', body }));
    await remove('a', 'Foreground');
    await until(() => names() === '');
  });

  it('may have a cluster-scoped owner', async () => {
    const { make, until, find, ask, kube, env } = await start();
    const other = await ask(
      kube.create(namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'owner' } }),
    );
    await make('child', [reference(other)]);
    await env.clock.advance(60_000);
    expect(find('child')).toBeDefined();
    await ask(kube.delete(namespace, { name: 'owner' }));
    await until(() => find('child') === undefined);
  });

  it('may be a custom resource with dependents', async () => {
    const { make, until, find, defineWidgets, makeWidget, remove, cacheOf, ask, kube } = await start();
    await defineWidgets();
    const owner = await make('owner');
    const child = await makeWidget('child', [reference(owner)]);
    await make('grandchild', [reference(child)]);
    const widgets = cacheOf(widget);
    await until(() => widgets.get({ name: 'child', namespace: NAMESPACE }) !== undefined);
    await remove('owner');
    await until(() => find('grandchild') === undefined);
    expect([...widgets.all()]).toEqual([]);
    // When the kind goes, what its objects own goes too.
    await make('of-widget', [reference(await makeWidget('again'))]);
    await ask(kube.delete(customResourceDefinition, { name: 'widgets.example.com' }));
    await until(() => find('of-widget') === undefined);
  });
});
