/** Pools with a MachineOSConfig that no builder takes up. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  type MachineOSConfig,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
} from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { condition, eventsAbout, firstConfig, MINUTE, newTarget, target } from './story-steps.ts';
import { startWorld } from './world.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const IMAGE = `registry.example/os@sha256:${'1'.repeat(64)}`;
const NO_EFFECT =
  'No builder starts a build for MachineOSConfig worker, so it has no effect: the pool goes on with the OS image of its MachineConfig';
const KEPT =
  'No builder starts a build for MachineOSConfig worker: nodes keep the OS image that they have, and the pool waits for the build';

const CONFIG: MachineOSConfig = {
  apiVersion: API_VERSION,
  kind: 'MachineOSConfig',
  metadata: { name: 'worker' },
  spec: {
    machineConfigPool: { name: 'worker' },
    imageBuilder: { imageBuilderType: 'Job' },
    renderedImagePushSecret: { name: 'push' },
    renderedImagePushSpec: 'registry.example/os:latest',
  },
};

describe('a MachineOSConfig that no builder takes up', () => {
  let world: World;
  afterEach(() => world.stop());

  const begin = async (): Promise<void> => {
    world = await startWorld({ masters: 1, workers: 2 });
    await world.startControllers();
    await world.startDaemons();
    await firstConfig(world);
  };
  /** As if its image had been built and applied at an earlier time. */
  const giveImages = async (): Promise<void> => {
    for (const name of ['worker-0', 'worker-1']) {
      const values = { [annotations.currentImage]: IMAGE, [annotations.desiredImage]: IMAGE };
      const body = { metadata: { annotations: values } };
      await world.kube.patch(nodeKind, { name }, { type: 'merge', body });
    }
  };
  const events = async (kind: string, name: string) =>
    (await eventsAbout(world, kind, name)).filter(({ reason }) => reason === 'NoBuilder');

  it('does not keep its pool from going on with the plain image', async () => {
    await begin();
    await world.kube.create(machineOSConfigKind, CONFIG);
    await world.env.clock.advance(1_000);
    expect(await condition(world, 'worker', 'Updating')).toEqual([
      'True',
      'Pool is waiting for a new OS image build to start (mosc: worker)',
    ]);
    const config = await newTarget(world, 'worker', 'hello');
    await world.untilUpdated(['worker'], 10 * MINUTE);
    expect(await condition(world, 'worker', 'Updated')).toEqual([
      'True',
      `All nodes are updated with MachineConfig ${config}`,
    ]);
    expect(await condition(world, 'worker', 'BuildPending')).toEqual(['True', NO_EFFECT]);
    const reported = [{ type: 'Warning', reason: 'NoBuilder', message: NO_EFFECT, count: 1 }];
    expect(await events('MachineConfigPool', 'worker')).toEqual(reported);
    expect(await events('MachineOSConfig', 'worker')).toEqual(reported);
  });

  it('leaves nodes their built images and says why its pool waits', async () => {
    await begin();
    const before = await target(world, 'worker');
    await world.kube.create(machineOSConfigKind, CONFIG);
    await giveImages();
    await newTarget(world, 'worker', 'hello');
    await world.env.clock.advance(5 * MINUTE);
    for (const { metadata } of await world.nodes()) {
      if (!metadata.name.startsWith('worker')) continue;
      expect(metadata.annotations).toMatchObject({
        [annotations.desiredConfig]: before,
        [annotations.desiredImage]: IMAGE,
      });
    }
    expect(await condition(world, 'worker', 'Updating')).toEqual([
      'True',
      'Pool is waiting for a new OS image build to start (mosc: worker)',
    ]);
    expect(await condition(world, 'worker', 'BuildPending')).toEqual(['True', KEPT]);
    expect(await events('MachineOSConfig', 'worker')).toMatchObject([{ message: KEPT }]);
  });

  it('takes effect once a build is started', async () => {
    await begin();
    await world.kube.create(machineOSConfigKind, CONFIG);
    await world.env.clock.advance(MINUTE);
    expect(await condition(world, 'worker', 'BuildPending')).toEqual(['True', NO_EFFECT]);
    await world.kube.create(machineOSBuildKind, {
      apiVersion: API_VERSION,
      kind: 'MachineOSBuild',
      metadata: { name: 'worker-1' },
      spec: {
        machineConfig: { name: await target(world, 'worker') },
        machineOSConfig: { name: 'worker' },
        renderedImagePushSpec: 'registry.example/os:latest',
      },
    });
    await world.env.clock.advance(1_000);
    expect(await condition(world, 'worker', 'BuildPending')).toEqual(['False', '']);
    expect(await condition(world, 'worker', 'Updating')).toEqual([
      'True',
      'Pool is waiting for OS image build to start (mosb: worker-1)',
    ]);
  });

  it('is forgotten with the MachineOSConfig', async () => {
    await begin();
    await world.kube.create(machineOSConfigKind, CONFIG);
    await world.env.clock.advance(MINUTE);
    await world.kube.delete(machineOSConfigKind, { name: 'worker' });
    await world.env.clock.advance(1_000);
    expect(await condition(world, 'worker', 'BuildPending')).toEqual(['False', '']);
  });
});
