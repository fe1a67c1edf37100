/** Uninstalling in the middle of a rollout, in virtual time, also with interruptions; and installing again. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  kinds,
  kubeletConfig,
  labels,
  machineConfig,
  machineConfigPool,
  NAMESPACE,
} from '../../src/api/index.ts';
import { type Uninstallation, uninstall } from '../../src/cli/install/uninstall.ts';
import { installManifests } from '../../src/embedded/up/install-manifests-node.ts';
import { parseManifests } from '../../src/install/index.ts';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import {
  clusterRole,
  customResourceDefinition,
  daemonSet,
  deployment,
  lease,
  namespace as namespaceKind,
  node as nodeKind,
  pod as podKind,
  serviceAccount,
  validatingAdmissionPolicy,
} from '../../src/kubernetes/types/index.ts';
import { files, folder, textOfFile } from '../support/manifests-files.ts';
import { meanwhile } from '../support/virtual-env.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { startWorld } from './world.ts';
import type { Running } from './world-process.ts';

const HOUR = 3_600_000;
const PERSON = 'worker-2';
const objects = parseManifests(new Map(files.map((name) => [name, textOfFile(name)]))).flatMap(
  (file) => file.objects,
);

let world: World;
let controllers: Running | undefined;
let daemons: Running | undefined;
afterEach(() => world.stop());

/** One worker is drained or applies its config; a person has cordoned another one. */
async function midRollout(): Promise<string> {
  world = await startWorld({ masters: 1, workers: 3 });
  controllers = await world.startControllers();
  daemons = await world.startDaemons();
  await world.untilUpdated(['master', 'worker'], HOUR);
  await world.kube.patch(
    nodeKind,
    { name: PERSON },
    { type: 'merge', body: { spec: { unschedulable: true } } },
  );
  // The node that a person has cordoned counts as unavailable.
  const slots = { type: 'merge', body: { spec: { maxUnavailable: 2 } } } as const;
  await world.kube.patch(machineConfigPool, { name: 'worker' }, slots);
  const apps: readonly (readonly [string, string])[] = [
    ['machine-config-controller', 'master-0'],
    ...(await world.nodes()).map(({ metadata }) => ['machine-config-daemon', metadata.name] as const),
  ];
  for (const [app, nodeName] of apps) await createPod(app, nodeName);
  await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
  const cordoned = async () =>
    (await world.nodes()).find(
      ({ metadata, spec }) => spec.unschedulable === true && metadata.name !== PERSON,
    );
  await world.until('a worker is cordoned', async () => (await cordoned()) !== undefined, HOUR);
  return (await cordoned())?.metadata.name ?? '';
}

async function createPod(app: string, nodeName: string): Promise<void> {
  await world.kube.create(podKind, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: `${app}-${nodeName}`, namespace: NAMESPACE, labels: { 'k8s-app': app } },
    spec: { nodeName, serviceAccountName: app, containers: [{ name: app, image: 'registry.example/a:1' }] },
  });
}

/** What the cluster does: pods end after their workload is deleted, and their processes before them. */
function withWorkloads(kube: Kube, onWrite: (what: string) => void = () => undefined): Kube {
  const deletePods = async (app: string) => {
    const { items } = await kube.list(podKind, { namespace: NAMESPACE, labelSelector: `k8s-app=${app}` });
    for (const { metadata } of items) {
      await kube.delete(podKind, { name: metadata.name, namespace: NAMESPACE }, { gracePeriodSeconds: 0 });
    }
  };
  const wrapped: Pick<Kube, 'delete' | 'patch'> = {
    async delete(resource, place, options) {
      onWrite(`delete ${resource.kind} ${place.name}`);
      const isDeleted = await kube.delete(resource, place, options);
      if (place.name === 'machine-config-controller' && resource.kind === 'Deployment') {
        void controllers?.stop().then(() => deletePods('machine-config-controller'));
      }
      if (resource.kind === 'DaemonSet') void daemons?.stop().then(() => deletePods('machine-config-daemon'));
      return isDeleted;
    },
    async patch(resource, place, patch, options) {
      onWrite(`patch ${resource.kind} ${place.name}`);
      return await kube.patch(resource, place, patch, options);
    },
  };
  return new Proxy(kube, {
    get: (target, key) =>
      key === 'delete' || key === 'patch'
        ? wrapped[key]
        : (Reflect.get(target, key) as () => unknown).bind(target),
  });
}

async function run(change: Partial<Uninstallation> = {}): Promise<readonly string[]> {
  const lines: string[] = [];
  const uninstallation: Uninstallation = {
    namespace: NAMESPACE,
    kube: withWorkloads(world.kube),
    clock: world.env.clock,
    signal: world.env.signal,
    objects,
    deletesCrds: false,
    isDryRun: false,
    timeoutMs: HOUR,
    print: (line) => lines.push(line),
    ...change,
  };
  await meanwhile(world.env, uninstall(uninstallation));
  return lines;
}

const names = (all: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
  all.items.map(({ metadata }) => metadata.name);

/** What must hold once Millwright is gone. */
async function expectRemoved(): Promise<void> {
  const { kube } = world;
  const ours = names({ items: objects as never }).filter((name) => !name.startsWith('openshift-'));
  for (const kind of [clusterRole, validatingAdmissionPolicy, serviceAccount, deployment, daemonSet, lease]) {
    expect(names(await kube.list(kind)).filter((name) => ours.includes(name))).toEqual([]);
  }
  expect(names(await kube.list(podKind, { namespace: NAMESPACE }))).toEqual([]);
  for (const { metadata, spec } of await world.nodes()) {
    expect([metadata.name, spec.unschedulable ?? false]).toEqual([metadata.name, metadata.name === PERSON]);
    expect(spec.taints?.filter(({ key }) => key === 'UpdateInProgress') ?? []).toEqual([]);
    const present = Object.keys(metadata.annotations ?? {});
    for (const key of [annotations.desiredDrain, annotations.lastAppliedDrain, annotations.drain]) {
      expect(present).not.toContain(key);
    }
  }
}

describe('an uninstallation in the middle of a rollout', () => {
  it('stops controllers before daemons, releases nodes last, and keeps configs and a person’s cordon', async () => {
    const updating = await midRollout();
    const writes: string[] = [];
    const lines = await run({ kube: withWorkloads(world.kube, (what) => writes.push(what)) });
    await expectRemoved();
    const at = (what: string) => writes.findIndex((one) => one.startsWith(what));
    const order = [
      'delete Deployment',
      'delete DaemonSet',
      'delete ServiceAccount',
      'delete ValidatingAdmission',
      'patch Node',
    ];
    expect(order.map(at)).toEqual(order.map(at).toSorted((a, b) => a - b));
    expect(order.map(at)).not.toContain(-1);
    expect(lines).toContain(`node ${updating}: uncordoned, drain request removed`);
    expect(lines.join('\n')).toContain(`node ${updating} is in the middle of its update to rendered-worker-`);
    expect(names(await world.kube.list(customResourceDefinition))).toHaveLength(kinds.length);
    expect(names(await world.kube.list(machineConfig))).toContain('50-worker-motd');
    expect((await world.node(updating)).metadata.annotations).toHaveProperty([annotations.currentConfig]);
  });

  it('is completed when Millwright is installed again', async () => {
    await midRollout();
    await run();
    const { handle } = world.server;
    await meanwhile(world.env, installManifests({ handle, clock: world.env.clock, directory: folder }));
    controllers = await world.startControllers();
    daemons = await world.startDaemons();
    await world.kube.patch(
      nodeKind,
      { name: PERSON },
      { type: 'merge', body: { spec: { unschedulable: null } } },
    );
    await world.untilUpdated(['master', 'worker'], HOUR);
    const target = (await world.pool('worker')).spec.configuration?.name;
    for (const { metadata, spec } of await world.nodes()) {
      if (metadata.name.startsWith('worker')) {
        expect(metadata.annotations?.[annotations.currentConfig]).toBe(target);
      }
      expect(spec.unschedulable ?? false).toBe(false);
    }
  });

  it('changes nothing in a dry run, and nothing when it is repeated', async () => {
    await midRollout();
    await controllers?.stop();
    await daemons?.stop();
    const before = world.store.revision();
    const lines = await run({ isDryRun: true });
    expect(world.store.revision()).toBe(before);
    expect(lines).toContain('would delete DaemonSet: 2');
    await run();
    const after = world.store.revision();
    expect((await run()).slice(0, 2)).toEqual(['Millwright is not installed here', 'remains:']);
    expect(world.store.revision()).toBe(after);
  });

  it('is completed by the next run wherever it was interrupted', { timeout: 120_000 }, async () => {
    await midRollout();
    const interrupted = new Error('interrupted');
    // Each run gets one write further than the one before.
    for (let limit = 0; ; limit++) {
      let writes = 0;
      const kube = withWorkloads(world.kube, () => {
        if (writes++ >= limit * 7) throw interrupted;
      });
      const outcome = await run({ kube }).catch((error: unknown) => error);
      if (outcome !== interrupted) break;
    }
    await expectRemoved();
  });

  it('deletes CRDs and their objects on request, also those with finalizers of a controller that is gone', async () => {
    await midRollout();
    await world.kube.create(kubeletConfig, {
      ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'KubeletConfig' },
      metadata: { name: 'mine', finalizers: ['99-worker-generated-kubelet'] },
      spec: {},
    });
    const lines = await run({ deletesCrds: true });
    expect(names(await world.kube.list(customResourceDefinition))).toEqual([]);
    expect(lines).toContain(`deleted CustomResourceDefinition: ${kinds.length}`);
    expect(lines.join('\n')).toContain(
      '/etc/machine-config-daemon with the originals of those files; delete that',
    );
    for (const { metadata } of await world.nodes()) {
      expect(
        Object.keys(metadata.annotations ?? {}).filter((key) => key.includes('machineconfiguration')),
      ).toEqual([]);
    }
    expect(await run({ deletesCrds: true })).toEqual([
      'Millwright is not installed here',
      'remains:',
      `  namespaces ${NAMESPACE}, openshift-config, openshift-config-managed, with what others put there`,
    ]);
  });

  it('counts in a dry run the CRDs that are there, and reports as remaining only those', async () => {
    await midRollout();
    await world.kube.delete(customResourceDefinition, {
      name: 'kubeletconfigs.machineconfiguration.openshift.io',
    });
    const [kept, deleted] = [await run({ isDryRun: true }), await run({ isDryRun: true, deletesCrds: true })];
    expect(deleted).toContain(`would delete CustomResourceDefinition: ${kinds.length - 1}`);
    expect(kept.join('\n')).toContain(`  ${kinds.length - 1} CRDs with `);
    expect(deleted.join('\n')).not.toContain('CRDs with');
  });

  it('is refused on OpenShift, whose own operator has the same names, unless the namespace is marked as ours', async () => {
    await midRollout();
    const names = { plural: 'clusterversions', singular: 'clusterversion', kind: 'ClusterVersion' };
    const schema = { openAPIV3Schema: { type: 'object' as const } };
    await world.kube.create(customResourceDefinition, {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'clusterversions.config.openshift.io' },
      spec: {
        group: 'config.openshift.io',
        names,
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const mark = (value: string | null) =>
      world.kube.patch(
        namespaceKind,
        { name: NAMESPACE },
        { type: 'merge', body: { metadata: { labels: { [labels.partOf]: value } } } },
      );
    await mark(null);
    const before = world.store.revision();
    await expect(run({ deletesCrds: true })).rejects.toMatchObject({ kind: 'usage', reason: 'NotOurs' });
    expect(world.store.revision()).toBe(before);
    await mark('millwright');
    await run();
    await expectRemoved();
  });

  it('does not wait for pods of a node that is gone, and reports pods that do not end in time', async () => {
    await midRollout();
    await world.kube.patch(
      nodeKind,
      { name: 'worker-1' },
      { type: 'merge', body: { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } } },
      { subresource: 'status' },
    );
    // Pods stay: nothing reacts to the deletion of their workload.
    await expect(run({ kube: world.kube, timeoutMs: 2_000 })).rejects.toMatchObject({
      reason: 'PodsRemain',
      message: expect.stringContaining('machine-config-controller-master-0'),
    });
    await world.kube.delete(
      podKind,
      { name: 'machine-config-controller-master-0', namespace: NAMESPACE },
      { gracePeriodSeconds: 0 },
    );
    await expect(run({ kube: world.kube, timeoutMs: 2_000 })).rejects.toMatchObject({
      message: expect.not.stringContaining('machine-config-daemon-worker-1'),
    });
  });
});

describe('an uninstallation of a cluster without Millwright', () => {
  it('says so, deletes nothing, and names nothing that remains', async () => {
    world = await startWorld({ masters: 1, workers: 1 });
    // Everything that starting a world installs.
    await run({ deletesCrds: true });
    // Namespaces need a controller of the cluster to go, which this world does not have.
    const others = objects.filter(({ kind }) => kind !== 'Namespace');
    const before = world.store.revision();
    for (const deletesCrds of [false, true]) {
      for (const isDryRun of [false, true]) {
        expect(await run({ deletesCrds, isDryRun, objects: others })).toEqual([
          'Millwright is not installed here',
        ]);
      }
    }
    expect(world.store.revision()).toBe(before);
  });
});
