/**
 * What kind of pool a node is in, and what becomes of it when it changes: the control plane, custom pools, pools that are
 * paused in the middle, clusters of a single node.
 */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  nodeRoleLabel,
} from '../../src/api/index.ts';
import { node as nodeKind, pod as podKind } from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, aNode, type World, type WorldOptions } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import type { DaemonScript } from './scripted-daemons.ts';
import {
  condition,
  cordoned,
  createAccount,
  eventsAbout,
  firstConfig,
  HOUR,
  isDone,
  MINUTE,
  newTarget,
  patchPool,
  target,
} from './story-steps.ts';
import { startWorld } from './world.ts';

const ROLE = 'machineconfiguration.openshift.io/role';
const INFRA = { [nodeRoleLabel('infra')]: '' };

let world: World;
let judge: Judge;
afterEach(() => world.stop());

const begin = async (options: WorldOptions, script: Partial<DaemonScript> = {}): Promise<void> => {
  world = await startWorld(options);
  judge = watchAsJudge(world.store, (node, labels) =>
    nodeRoleLabel('infra') in labels ? 'infra' : node.replace(/-\d+$/, ''),
  );
  await world.startControllers();
  await world.startDaemons(script);
  await firstConfig(world);
};
const createInfra = async (spec: Partial<MachineConfigPool['spec']> = {}): Promise<void> => {
  const values = ['worker', 'infra'];
  await world.kube.create(machineConfigPoolKind, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: machineConfigPoolKind.kind,
    metadata: { name: 'infra' },
    spec: {
      machineConfigSelector: { matchExpressions: [{ key: ROLE, operator: 'In', values }] },
      nodeSelector: { matchLabels: INFRA },
      ...spec,
    },
  });
  await world.untilUpdated(['infra'], HOUR);
};
const label = async (node: string, labels: { readonly [key: string]: string | null }): Promise<void> => {
  const body = { metadata: { labels } };
  await world.kube.patch(nodeKind, { name: node }, { type: 'merge', body });
};
const messages = async (pool: string, reason: string): Promise<readonly string[]> =>
  (await eventsAbout(world, 'MachineConfigPool', pool))
    .filter((one) => one.reason === reason)
    .map(({ message }) => message);
const wantedBy = async (node: string) =>
  (await world.node(node)).metadata.annotations?.[annotations.desiredConfig];
const counts = async (pool: string) => {
  const { machineCount, updatedMachineCount } = (await world.pool(pool)).status ?? {};
  return [machineCount, updatedMachineCount];
};
const untilDown = (node: string) =>
  world.until(`${node} is down`, async () => (await cordoned(world)).includes(node), HOUR);

describe('a rollout', () => {
  it.each([
    [3, 2, 1],
    [5, 4, 2],
    [5, '100%', 2],
  ])(
    'of %i control plane nodes with maxUnavailable %s takes no more than %i, so that etcd keeps its quorum',
    async (masters, given, limit) => {
      await begin({ masters, workers: 1 });
      judge.allow('master', limit);
      await patchPool(world, 'master', { maxUnavailable: given });
      await newTarget(world, 'master', 'hello');
      await world.untilUpdated(['master'], HOUR);
      expect(judge.mostDown.get('master')).toBe(limit);
      expect([...judge.drains.values()]).toEqual(Array.from({ length: masters }, () => 1));
      const wanted = given === '100%' ? masters : given;
      expect(await messages('master', 'InvalidSpec')).toEqual([
        expect.stringContaining(
          `spec.maxUnavailable: ${wanted} control plane nodes of ${masters} would leave etcd without its quorum; ${limit} is used`,
        ),
      ]);
      expect(judge.faults).toEqual([]);
    },
  );

  it('updates the node of the operator last', async () => {
    await begin({ masters: 3, workers: 1 });
    const namespace = 'openshift-machine-config-operator';
    await createAccount(world, namespace);
    startReaper(world, { endsAfterMs: () => 5_000 });
    await runPod(world, 'operator', 'master-0', {
      namespace,
      labels: { 'k8s-app': 'machine-config-operator' },
    });
    const config = await newTarget(world, 'master', 'hello');
    await world.untilUpdated(['master'], HOUR);
    expect([...judge.drains]).toEqual([
      ['master-1', 1],
      ['master-2', 1],
      ['master-0', 1],
    ]);
    expect(await isDone(world, 'master-0', config)).toBe(true);
    expect(await messages('master', 'DeferringOperatorNodeUpdate')).toEqual([
      'Deferring update of machine config operator node master-0',
    ]);
    expect(judge.faults).toEqual([]);
  });

  it('updates the only node of a cluster without a drain, and counts it in one pool', async () => {
    world = await startWorld({ masters: 0, workers: 0 });
    judge = watchAsJudge(world.store, () => 'master');
    await world.kube.create(nodeKind, aNode('single', ['master', 'control-plane', 'worker']));
    await createAccount(world);
    await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
    const { uid } = (await runPod(world, 'web-0', 'single')).metadata;
    await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
    const config = await newTarget(world, 'master', 'hello');
    await world.untilUpdated(['master', 'worker'], HOUR);
    expect(await isDone(world, 'single', config)).toBe(true);
    expect((await world.pool('worker')).status).toMatchObject({ machineCount: 0, updatedMachineCount: 0 });
    expect((await world.pool('worker')).status?.configuration?.name).toBe(await target(world, 'worker'));
    expect([...judge.cordons]).toEqual([]);
    const { items } = await world.kube.list(machineConfigNodeKind);
    expect(items.map(({ spec }) => spec?.pool.name)).toEqual(['master']);
    expect((await runningPod('web-0'))?.metadata.uid).toBe(uid);
    expect(judge.faults).toEqual([]);
  });

  const runningPod = (name: string) => world.kube.get(podKind, { name, namespace: 'default' });

  it('sends nodes to the newest config only when a pool is resumed right after a change', async () => {
    await begin({ workers: 2 });
    await patchPool(world, 'worker', { paused: true });
    const first = await newTarget(world, 'worker', 'one');
    await world.apply(aMachineConfig('51-worker-more', 'worker', 'two'));
    await patchPool(world, 'worker', { paused: false });
    await world.untilUpdated(['worker'], HOUR);
    expect(await target(world, 'worker')).not.toBe(first);
    expect((await messages('worker', 'SetDesiredConfig')).filter((text) => text.includes(first))).toEqual([]);
    expect([...judge.drains.values()]).toEqual([1, 1]);
  });

  it('completes the update of a node that has begun when its pool is paused, and sends no other', async () => {
    await begin({ masters: 1, workers: 3 });
    const first = await target(world, 'worker');
    const config = await newTarget(world, 'worker', 'hello');
    await untilDown('worker-0');
    await patchPool(world, 'worker', { paused: true });
    await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
    await world.env.clock.advance(30 * MINUTE);
    expect(await cordoned(world)).toEqual([]);
    expect([await wantedBy('worker-1'), await wantedBy('worker-2')]).toEqual([first, first]);
    expect((await world.pool('worker')).status?.updatedMachineCount).toBe(1);
    expect(await condition(world, 'worker', 'Updating')).toEqual([
      'False',
      `Pool is paused; will not update to MachineConfig ${config}`,
    ]);
    // Changes during the pause are rolled out at once.
    const newer = await newTarget(world, 'worker', 'newer');
    await patchPool(world, 'worker', { paused: false });
    await world.untilUpdated(['worker'], HOUR);
    expect(Object.fromEntries(judge.drains)).toEqual({ 'worker-0': 2, 'worker-1': 1, 'worker-2': 1 });
    expect(await isDone(world, 'worker-2', newer)).toBe(true);
    expect(judge.faults).toEqual([]);
  });

  it('updates a custom pool and the worker pool in parallel, each within its own limit', async () => {
    await begin({ masters: 1, workers: 5 });
    judge.allow('infra', 2);
    await createInfra({ maxUnavailable: 2 });
    for (const node of ['worker-2', 'worker-3', 'worker-4']) await label(node, INFRA);
    // A pool without nodes is updated as well.
    const members = async () => (await world.pool('infra')).status?.updatedMachineCount;
    await world.until('infra has its nodes', async () => (await members()) === 3, HOUR);
    await world.untilUpdated(['infra', 'worker'], HOUR);
    const drained = new Map(judge.drains);
    // It takes what workers take, too.
    const before = await target(world, 'infra');
    const config = await newTarget(world, 'worker', 'hello');
    await world.until('infra follows', async () => (await target(world, 'infra')) !== before, MINUTE);
    await world.untilUpdated(['infra', 'worker'], HOUR);
    expect([judge.mostDown.get('worker'), judge.mostDown.get('infra')]).toEqual([1, 2]);
    const grown = [...judge.drains].map(([node, count]) => [node, count - (drained.get(node) ?? 0)]);
    expect(grown.map(([, count]) => count)).toEqual([1, 1, 1, 1, 1]);
    expect(await isDone(world, 'worker-0', config)).toBe(true);
    expect(await isDone(world, 'worker-4', await target(world, 'infra'))).toBe(true);
    expect(judge.faults).toEqual([]);
  });

  it('lets a node that moves to another pool complete its update, then sends it to the new target', async () => {
    await begin({ masters: 1, workers: 3 });
    await createInfra();
    await world.apply(aMachineConfig('50-infra-motd', 'infra', 'infra'));
    await label('worker-2', INFRA);
    await world.until(
      'it is there',
      async () => isDone(world, 'worker-2', await target(world, 'infra')),
      HOUR,
    );
    // What workers take the custom pool takes too; it is to wait until the node has come.
    await patchPool(world, 'infra', { paused: true });
    const older = await newTarget(world, 'worker', 'hello');
    await untilDown('worker-0');
    await label('worker-0', INFRA);
    await patchPool(world, 'infra', { paused: false });
    await world.env.clock.advance(5_000);
    expect((await world.pool('infra')).status).toMatchObject({ machineCount: 2, unavailableMachineCount: 1 });
    expect([await wantedBy('worker-0'), await cordoned(world)]).toEqual([older, ['worker-0', 'worker-1']]);
    await world.untilUpdated(['infra', 'worker'], HOUR);
    for (const node of ['worker-0', 'worker-2'])
      expect(await isDone(world, node, await target(world, 'infra'))).toBe(true);
    expect(await isDone(world, 'worker-1', await target(world, 'worker'))).toBe(true);
    expect((await world.pool('worker')).status?.machineCount).toBe(1);
    expect(await cordoned(world)).toEqual([]);
    expect(judge.faults).toEqual([]);
  });

  it('does not update a node that moves into a paused pool', async () => {
    await begin({ masters: 1, workers: 2 });
    await createInfra({ paused: true });
    await world.apply(aMachineConfig('50-infra-motd', 'infra', 'infra'));
    const before = await wantedBy('worker-1');
    await world.env.clock.advance(MINUTE);
    await label('worker-1', INFRA);
    await world.env.clock.advance(10 * MINUTE);
    expect([await wantedBy('worker-1'), judge.drains.size]).toEqual([before, 0]);
    const config = await target(world, 'infra');
    expect(await condition(world, 'infra', 'Updated')).toEqual(['False', '']);
    expect(await condition(world, 'infra', 'Updating')).toEqual([
      'False',
      `Pool is paused; will not update to MachineConfig ${config}`,
    ]);
    await patchPool(world, 'infra', { paused: false });
    await world.untilUpdated(['infra', 'worker'], HOUR);
    expect(await isDone(world, 'worker-1', config)).toBe(true);
    expect(judge.faults).toEqual([]);
  });

  it('continues when the rendered config is deleted in the middle of it', async () => {
    await begin({ masters: 1, workers: 3 });
    const config = await newTarget(world, 'worker', 'hello');
    await untilDown('worker-0');
    const before = await world.kube.get(machineConfigKind, { name: config });
    await world.kube.delete(machineConfigKind, { name: config });
    await world.untilUpdated(['worker'], HOUR);
    expect(await target(world, 'worker')).toBe(config);
    expect((await world.kube.get(machineConfigKind, { name: config }))?.spec).toEqual(before?.spec);
    expect([...judge.drains.values()]).toEqual([1, 1, 1]);
    expect(judge.faults).toEqual([]);
  });
});

describe('when nodes and pools are added and removed', () => {
  it('nodes of a pool that is deleted during a rollout return to the worker pool', async () => {
    await begin({ masters: 1, workers: 4 });
    await createInfra();
    for (const node of ['worker-2', 'worker-3']) await label(node, INFRA);
    await world.untilUpdated(['infra', 'worker'], HOUR);
    await newTarget(world, 'infra', 'hello');
    await world.until('a node of it is cordoned', async () => (await cordoned(world)).length === 1, HOUR);
    await world.kube.delete(machineConfigPoolKind, { name: 'infra' });
    await world.untilUpdated(['worker', 'master'], HOUR);
    await world.until('all are in service', async () => (await cordoned(world)).length === 0, HOUR);
    expect(await counts('worker')).toEqual([4, 4]);
    for (const node of ['worker-2', 'worker-3']) {
      expect(await isDone(world, node, await target(world, 'worker'))).toBe(true);
      const record = await world.kube.get(machineConfigNodeKind, { name: node });
      expect(record?.spec).toMatchObject({ pool: { name: 'worker' } });
    }
    await newTarget(world, 'worker', 'once more');
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('a node moves into a custom pool and out of it again', async () => {
    await begin({ masters: 1, workers: 2 });
    await createInfra();
    await world.apply(aMachineConfig('50-infra-motd', 'infra', 'infra'));
    await world.untilUpdated(['infra'], HOUR);
    expect(await counts('infra')).toEqual([0, 0]);
    await label('worker-1', INFRA);
    await world.until('it is there', async () => (await counts('infra'))[1] === 1, HOUR);
    expect(await isDone(world, 'worker-1', await target(world, 'infra'))).toBe(true);
    expect(await counts('worker')).toEqual([1, 1]);
    await label('worker-1', { [nodeRoleLabel('infra')]: null });
    await world.until('it is back', async () => (await counts('worker'))[1] === 2, HOUR);
    expect(await isDone(world, 'worker-1', await target(world, 'worker'))).toBe(true);
    expect(await counts('infra')).toEqual([0, 0]);
    const record = await world.kube.get(machineConfigNodeKind, { name: 'worker-1' });
    expect(record?.spec).toMatchObject({
      pool: { name: 'worker' },
      configVersion: { desired: await target(world, 'worker') },
    });
    expect(await cordoned(world)).toEqual([]);
    expect(judge.faults).toEqual([]);
  });

  it('a node that is deleted during its drain does not block others', async () => {
    await begin({ masters: 1, workers: 3 });
    await newTarget(world, 'worker', 'hello');
    await world.until('one is cordoned', async () => (await cordoned(world)).length === 1, HOUR);
    const [name = ''] = await cordoned(world);
    await world.kube.delete(nodeKind, { name });
    await world.untilUpdated(['worker'], HOUR);
    expect(await counts('worker')).toEqual([2, 2]);
    expect(await world.kube.get(machineConfigNodeKind, { name })).toBeUndefined();
    // Another machine joins under its name.
    await world.kube.create(nodeKind, aNode(name, ['worker']));
    await world.until('it is there', async () => (await counts('worker'))[1] === 3, HOUR);
    expect(judge.faults).toEqual([]);
  });
});

describe('a MachineConfig that sets the OS image', () => {
  it('is named by an event on the rendered config, with the image of the cluster', async () => {
    await begin({ masters: 1, workers: 1 });
    const plain = await target(world, 'worker');
    const base = (await world.kube.get(machineConfigKind, { name: plain }))?.spec?.osImageURL ?? '';
    const image = `registry.example/mine@sha256:${'7'.repeat(64)}`;
    const { spec, ...rest } = aMachineConfig('50-worker-os', 'worker', 'x');
    await world.apply({ ...rest, spec: { ...spec, osImageURL: image } });
    await world.until('a new target', async () => (await target(world, 'worker')) !== plain, HOUR);
    await world.env.clock.advance(MINUTE);
    const name = await target(world, 'worker');
    const overridden = async (config: string) =>
      (await eventsAbout(world, 'MachineConfig', config)).filter(
        ({ reason }) => reason === 'OSImageURLOverridden',
      );
    expect(await overridden(name)).toMatchObject([
      {
        type: 'Normal',
        message: `OSImageURL was overridden via machineconfig in ${name} (was: ${base} is: ${image})`,
      },
    ]);
    expect(await overridden(plain)).toEqual([]);
  });
});
