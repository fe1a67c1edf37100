/**
 * Pools whose OS image is built in the cluster, with builds that the story itself writes: what the pool says in every
 * state, which nodes are sent where, and that configuration and image always move together.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  annotations,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../src/api/index.ts';
import { isObject } from '../../src/base/json.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, aNode, type World } from './build-world.ts';
import type { DaemonScript } from './scripted-daemons.ts';
import { condition, eventsAbout, firstConfig, MINUTE, newTarget, patchPool, target } from './story-steps.ts';
import { startWorld } from './world.ts';
import { aMachineOSConfig, type Builder, builderOf, imageNamed } from './written-builds.ts';

const [FIRST, SECOND] = [imageNamed('1'), imageNamed('2')];
const WORKERS = ['worker-0', 'worker-1'];

let world: World;
let builder: Builder;
/** Every pair of desired configuration and image that a node was ever sent to, in order and without repetitions. */
let sent: string[];

async function begin(script: Partial<DaemonScript> = {}): Promise<void> {
  world = await startWorld({ masters: 1, workers: 2 });
  builder = builderOf(world, 'worker');
  await world.startControllers();
  await world.startDaemons(script);
  await firstConfig(world);
  sent = [`${await target(world, 'worker')} -`];
  world.store.subscribe({ prefix: '/nodes/worker', from: world.store.revision() }, (event) => {
    if (event.kind !== 'put') return;
    const node: unknown = JSON.parse(new TextDecoder().decode(event.value));
    const metadata = isObject(node) && isObject(node.metadata) ? node.metadata.annotations : undefined;
    const values: { readonly [key: string]: unknown } = isObject(metadata) ? metadata : {};
    const pair = `${values[annotations.desiredConfig]} ${values[annotations.desiredImage] ?? '-'}`;
    if (!sent.includes(pair)) sent.push(pair);
  });
}

afterEach(() => world.stop());

const status = async (type: string, pool = 'worker') => {
  const found = (await world.pool(pool)).status?.conditions?.find((one) => one.type === type);
  return found === undefined
    ? undefined
    : [found.status, found.reason, found.message].filter((text) => text !== '').join(' | ');
};

/** Time for the controllers to look, not for a node to be updated. */
const look = () => world.env.clock.advance(2_000);

const imagesOf = async (names = WORKERS) => {
  const nodes = await Promise.all(names.map((name) => world.node(name)));
  return nodes.map(({ metadata: { annotations: values } }) => [
    values?.[annotations.desiredImage],
    values?.[annotations.currentImage],
  ]);
};

const all = (image: string | undefined) => WORKERS.map(() => [image, image]);

const columns = async (name = 'worker') => {
  const { status: found } = await world.pool(name);
  const isTrue = (type: string) => found?.conditions?.find((one) => one.type === type)?.status;
  const counts = [found?.machineCount, found?.readyMachineCount, found?.updatedMachineCount];
  const flags = [isTrue('Updated'), isTrue('Updating'), isTrue('Degraded')];
  return [...flags, ...counts, found?.degradedMachineCount].join(' ');
};

describe('a pool that enters image mode', () => {
  beforeEach(() => begin());

  it('is built, rolled out, changed, broken, mended and led back to the base image', async () => {
    const base = await target(world, 'worker');
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await look();
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for a new OS image build to start (mosc: worker)',
    );
    expect(await columns()).toBe('False True False 2 0 0 0');

    await builder.create('worker-a');
    await look();
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for OS image build to start (mosb: worker-a)',
    );
    await builder.report('worker-a', 'Prepared');
    await builder.follow('worker-a');
    await look();
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for OS image build to start (mosb: worker-a)',
    );
    await builder.report('worker-a', 'Building');
    await look();
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for OS image build to complete (mosb: worker-a)',
    );
    await builder.report('worker-a', 'Succeeded', { image: FIRST });
    await look();
    // The MachineOSConfig does not name the image yet.
    expect(await imagesOf()).toEqual(all(undefined));
    await builder.follow('worker-a', FIRST);
    await look();
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for nodes to apply OS image (mosb: worker-a)',
    );
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await imagesOf()).toEqual(all(FIRST));
    expect(await status('Updated')).toBe(
      `True | All nodes are updated with MachineConfig ${base} / Image ${FIRST}`,
    );

    // Only files change: the builder takes the same image over.
    const files = await newTarget(world, 'worker', 'hello');
    await look();
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for a new OS image build to start (mosc: worker)',
    );
    await builder.build('worker-b', FIRST);
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await status('Updated')).toBe(
      `True | All nodes are updated with MachineConfig ${files} / Image ${FIRST}`,
    );

    const kernel = await newOs('quiet');
    await builder.build('worker-c', SECOND);
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await imagesOf()).toEqual(all(SECOND));

    // The newest build fails: nodes stay where they are, and the pool has the cause.
    const broken = await newOs('loud');
    await builder.create('worker-d');
    await builder.report('worker-d', 'Building');
    await builder.follow('worker-d');
    await builder.report('worker-d', 'Failed', { cause: 'no package nosuch' });
    await builder.setProblem(['BuildFailed', 'MachineOSBuild worker-d: Build Failed: no package nosuch']);
    await world.env.clock.advance(5 * MINUTE);
    expect(await columns()).toBe('False False True 2 0 0 0');
    expect(await status('Updating')).toBe(
      'False | Pool update stopped due to OS image build failure (mosb: worker-d)',
    );
    expect(await status('ImageBuildDegraded')).toBe(
      'True | BuildFailed | Failed to build OS image for pool worker (MachineOSBuild: worker-d): Failed: Build Failed: no package nosuch',
    );
    expect(await status('Degraded')).toBe('True | Custom OS image build failed');
    expect(await imagesOf()).toEqual(all(SECOND));

    const mended = await newOs('silent');
    await builder.create('worker-e');
    await builder.report('worker-e', 'Building');
    await look();
    expect(await status('ImageBuildDegraded')).toBe('False | Building | New build started');
    await builder.report('worker-e', 'Succeeded', { image: FIRST });
    await builder.follow('worker-e', FIRST);
    await builder.setProblem();
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await status('ImageBuildDegraded')).toBe('False | BuildSuccess | Build completed successfully');
    expect(await columns()).toBe('True False False 2 2 2 0');

    await world.kube.delete(machineOSConfigKind, { name: 'worker' });
    await look();
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await imagesOf()).toEqual(all(undefined));
    expect(await status('Updated')).toBe(`True | All nodes are updated with MachineConfig ${mended}`);
    // Configuration and image have always moved together.
    expect(sent).toEqual([
      `${base} -`,
      `${base} ${FIRST}`,
      `${files} ${FIRST}`,
      `${kernel} ${SECOND}`,
      `${mended} ${FIRST}`,
      `${mended} -`,
    ]);
    expect(sent.join()).not.toContain(broken);
  });

  /** A change that needs another image. */
  async function newOs(argument: string): Promise<string> {
    const before = await target(world, 'worker');
    const config = aMachineConfig('60-worker-kernel', 'worker', argument);
    await world.apply({ ...config, spec: { kernelArguments: [argument] } });
    await world.until('a new target', async () => (await target(world, 'worker')) !== before, 20_000);
    return target(world, 'worker');
  }

  it('builds while it is paused, and rolls out once it is not', async () => {
    await patchPool(world, 'worker', { paused: true });
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    const texts: unknown[] = [];
    const note = async () => {
      await look();
      texts.push(await status('Updating'));
    };
    await note();
    await builder.create('worker-a');
    await note();
    await builder.report('worker-a', 'Prepared');
    await note();
    await builder.report('worker-a', 'Building');
    await note();
    await builder.report('worker-a', 'Succeeded', { image: FIRST });
    await builder.follow('worker-a', FIRST);
    await note();
    expect(texts).toEqual([
      'True | Pool is paused; waiting for a new OS image build to start (mosc: worker)',
      'True | Pool is paused; OS image build has been created but not yet started (mosb: worker-a)',
      'True | Pool is paused; OS image build has been prepared but will not rollout (mosb: worker-a)',
      'True | Pool is paused; OS image build in progress (mosb: worker-a)',
      'False | Pool is paused; OS image build completed successfully (mosb: worker-a)',
    ]);
    await world.env.clock.advance(5 * MINUTE);
    expect(await imagesOf()).toEqual(all(undefined));
    await patchPool(world, 'worker', { paused: false });
    await look();
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await imagesOf()).toEqual(all(FIRST));
  });

  it('has the problem of its MachineOSConfig in its status, and is healed with it', async () => {
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await builder.setProblem(['SecretNotFound', 'secret push from worker is not found']);
    await look();
    expect(await status('ImageBuildDegraded')).toBe(
      'True | SecretNotFound | Failed to build OS image for pool worker (MachineOSConfig: worker): secret push from worker is not found',
    );
    expect(await columns()).toBe('False True True 2 0 0 0');
    await builder.setProblem();
    await look();
    expect(await status('ImageBuildDegraded')).toBe(
      'False | BuildPending | MachineOSConfig updated/created, waiting for MachineOSBuild',
    );
    await builder.build('worker-a', FIRST);
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await columns()).toBe('True False False 2 2 2 0');
  });

  it('follows the build that its MachineOSConfig names, not another one of the same configuration', async () => {
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await builder.build('worker-z', SECOND);
    await builder.create('worker-a');
    await builder.report('worker-a', 'Succeeded', { image: FIRST });
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await imagesOf()).toEqual(all(SECOND));
  });

  it('is not updated while its build is being deleted, and sends no node to an image that goes', async () => {
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await builder.build('worker-a', FIRST);
    await world.untilUpdated(['worker'], 10 * MINUTE);
    const finalizers = { metadata: { finalizers: ['test.example/hold'] } };
    const patch = { type: 'merge', body: finalizers } as const;
    await world.kube.patch(machineOSBuildKind, { name: 'worker-a' }, patch);
    await world.kube.delete(machineOSBuildKind, { name: 'worker-a' });
    await world.kube.create(nodeKind, aNode('worker-9', ['worker']));
    await world.env.clock.advance(2 * MINUTE);
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for a new OS image build to start (mosc: worker)',
    );
    expect((await imagesOf(['worker-9']))[0]).toEqual([undefined, undefined]);
    const released = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    await world.kube.patch(machineOSBuildKind, { name: 'worker-a' }, released);
    await builder.build('worker-a', SECOND);
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await imagesOf([...WORKERS, 'worker-9'])).toEqual([...all(SECOND), [SECOND, SECOND]]);
  });
});

describe('a node of another pool', () => {
  it('is brought to the image of the pool that it joins, and back when it leaves', async () => {
    await begin();
    await world.kube.create(machineConfigPoolKind, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      metadata: { name: 'infra' },
      spec: {
        machineConfigSelector: {
          matchExpressions: [
            {
              key: 'machineconfiguration.openshift.io/role',
              operator: 'In',
              values: ['worker', 'infra'],
            },
          ],
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
      },
    });
    await world.until('infra is rendered', async () => (await target(world, 'infra')) !== '', MINUTE);
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('infra'));
    await builderOf(world, 'infra').build('infra-a', FIRST);
    const label = async (value: string | null) => {
      const body = { metadata: { labels: { 'node-role.kubernetes.io/infra': value } } };
      await world.kube.patch(nodeKind, { name: 'worker-1' }, { type: 'merge', body });
      await look();
    };
    await label('');
    await world.untilUpdated(['worker', 'infra'], 10 * MINUTE);
    expect(await imagesOf()).toEqual([
      [undefined, undefined],
      [FIRST, FIRST],
    ]);
    await label(null);
    await world.untilUpdated(['worker', 'infra'], 10 * MINUTE);
    expect(await imagesOf()).toEqual(all(undefined));
  });
});

describe('an image that nodes cannot apply', () => {
  it('stops at one node, and a mended image reaches it although its configuration is the same', async () => {
    const error = `Failed to update OS to ${FIRST} after retries: timed out waiting for the condition`;
    await begin({ failureOnApply: (_, _config, image) => (image === FIRST ? error : undefined) });
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await builder.build('worker-a', FIRST);
    await world.env.clock.advance(10 * MINUTE);
    expect(await columns()).toBe('False False True 2 0 0 1');
    expect(await status('Updating')).toBe('False | Pool update paused due to degraded condition');
    expect(await status('NodeDegraded')).toBe(
      `True | 1 nodes are reporting degraded status on sync | Node worker-0 is reporting: "Node worker-0 upgrade failure. ${error}", Node worker-0 is reporting: "${error}"`,
    );
    expect(await imagesOf()).toEqual([
      [FIRST, undefined],
      [undefined, undefined],
    ]);
    await builder.build('worker-b', SECOND);
    await world.untilUpdated(['worker'], 20 * MINUTE);
    expect(await imagesOf()).toEqual(all(SECOND));
    expect(await columns()).toBe('True False False 2 2 2 0');
  });
});

describe('a pool that waits for a build', () => {
  const outages = async (kind: string) =>
    (await eventsAbout(world, kind, 'worker')).filter(({ reason }) => reason === 'NoBuilder');
  const WAITS =
    'so no OS image is built for MachineOSConfig worker: the pool waits, and its nodes keep the OS image that they have';
  const NO_LEASE = `No builder is running (there is no Lease machine-os-builder), ${WAITS}`;

  it('says after a minute that no builder is running, once, and never goes on without the image', async () => {
    await begin();
    const before = await target(world, 'worker');
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await newTarget(world, 'worker', 'hello');
    expect(await status('BuildPending')).toBeUndefined();
    await world.env.clock.advance(15 * MINUTE);
    expect(await status('BuildPending')).toBe(`True | NoBuilder | ${NO_LEASE}`);
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for a new OS image build to start (mosc: worker)',
    );
    expect(await condition(world, 'worker', 'Updated')).toEqual(['False', '']);
    expect(sent).toEqual([`${before} -`]);
    const reported = [{ type: 'Warning', reason: 'NoBuilder', message: NO_LEASE, count: 1 }];
    expect(await outages('MachineConfigPool')).toEqual(reported);
    expect(await outages('MachineOSConfig')).toEqual(reported);
  });

  it('says so of a running build whose builder has died, and no longer when the builder is back', async () => {
    await begin();
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await builder.renewLease('builder-0');
    await builder.create('worker-a');
    await builder.report('worker-a', 'Building');
    await world.env.clock.advance(2 * MINUTE);
    expect(await status('BuildPending')).toBeUndefined();
    await world.env.clock.advance(MINUTE);
    expect(await status('BuildPending')).toMatch(/^True \| NoBuilder \| No builder is running since 20/);
    expect(await status('Updating')).toBe(
      'True | Pool is waiting for OS image build to complete (mosb: worker-a)',
    );
    await builder.renewLease('builder-1');
    await world.env.clock.advance(MINUTE);
    expect(await status('BuildPending')).toBe('False');
    expect(await outages('MachineConfigPool')).toHaveLength(1);
  });

  it('never says so while a builder renews its Lease, however often the pool is looked at', async () => {
    await begin();
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    for (let second = 0; second < 180; second += 5) {
      await builder.renewLease('builder-0', 15);
      await world.kube.patch(
        machineConfigPoolKind,
        { name: 'worker' },
        { type: 'merge', body: { metadata: { labels: { second: String(second) } } } },
      );
      await world.env.clock.advance(5_000);
      expect(await status('BuildPending')).toBeUndefined();
    }
  });

  it('says so where the builder was stopped and none has followed it', async () => {
    await begin();
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await builder.renewLease('builder-0');
    await builder.renewLease(null);
    await world.env.clock.advance(2 * MINUTE);
    expect(await status('BuildPending')).toMatch(/^True \| NoBuilder \| No builder is running since 20/);
    // Deleting the MachineOSConfig ends the wait.
    await world.kube.delete(machineOSConfigKind, { name: 'worker' });
    await look();
    expect(await status('BuildPending')).toBe('False');
    await world.untilUpdated(['worker'], MINUTE);
  });

  it('keeps the reason when the controllers are restarted', async () => {
    world = await startWorld({ masters: 1, workers: 2 });
    const controllers = await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await world.env.clock.advance(2 * MINUTE);
    expect(await status('BuildPending')).toBe(`True | NoBuilder | ${NO_LEASE}`);
    const pending = async () =>
      (await world.pool('worker')).status?.conditions?.find(({ type }) => type === 'BuildPending');
    const before = await pending();
    await controllers.stop();
    await world.startControllers();
    await look();
    expect(await pending()).toEqual(before);
  });

  it('reads the Lease of the builder only while it waits', async () => {
    world = await startWorld({ masters: 1, workers: 2 });
    builder = builderOf(world, 'worker');
    let reads = 0;
    await world.startControllers((connection) => ({
      send(request) {
        if (request.path.endsWith('/leases/machine-os-builder')) reads += 1;
        return connection.send(request);
      },
    }));
    await world.startDaemons();
    await firstConfig(world);
    await world.env.clock.advance(10 * MINUTE);
    expect(reads).toBe(0);
    await world.kube.create(machineOSConfigKind, aMachineOSConfig('worker'));
    await world.env.clock.advance(10 * MINUTE);
    expect(reads).toBeGreaterThan(10);
    expect(reads).toBeLessThan(25);
    await builder.build('worker-a', FIRST);
    await world.untilUpdated(['worker'], 10 * MINUTE);
    const settled = reads;
    await world.env.clock.advance(10 * MINUTE);
    expect(reads).toBe(settled);
  });
});
