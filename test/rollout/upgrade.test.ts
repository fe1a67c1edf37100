/** An upgrade of the operator and its controllers: nothing is rendered from what the old version has left. */
import { afterEach, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool, osImageStream } from '../../src/api/index.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { control, controllers, operator } from './control.ts';
import { condition, firstConfig, MINUTE, target } from './story-steps.ts';
import { RELEASE, startWorld } from './world.ts';

let world: World;
afterEach(() => world.stop());

const NEXT = { version: 'millwright next', controllerVersion: 'next', releaseVersion: '4.99.1' };

/** A cluster whose pools were rendered by the old version, which has stopped. */
async function installedByOldVersion(): Promise<void> {
  world = await startWorld({ masters: 1, workers: 1 });
  const old = await world.startControllers();
  await world.startDaemons();
  await firstConfig(world);
  await old.stop();
}

async function renderedAnnotations(pool: string): Promise<{ readonly [key: string]: string }> {
  const rendered = await world.kube.get(machineConfig, { name: await target(world, pool) });
  return rendered?.metadata.annotations ?? {};
}

const untilDegraded = (status: 'True' | 'False') =>
  world.until(
    `RenderDegraded is ${status}`,
    async () => (await condition(world, 'worker', 'RenderDegraded'))[0] === status,
    MINUTE,
  );

it('renders nothing from a ControllerConfig of another version until the operator has renewed it', async () => {
  await installedByOldVersion();
  const before = await target(world, 'worker');
  world.startOther((parts) => control(parts, controllers, { release: NEXT }));
  await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
  await untilDegraded('True');
  const [, message] = await condition(world, 'worker', 'RenderDegraded');
  expect(message).toBe(
    `Failed to render configuration for pool worker: could not generate rendered MachineConfig: ignoring controller config generated from ${RELEASE.version} (my version: ${NEXT.version})`,
  );
  expect(await target(world, 'worker')).toBe(before);
  world.startOther((parts) => control(parts, operator, { release: NEXT }));
  await untilDegraded('False');
  expect(await target(world, 'worker')).not.toBe(before);
});

it('refreshes the annotations of rendered configs whose content stays the same', async () => {
  await installedByOldVersion();
  const before = await target(world, 'worker');
  expect(await renderedAnnotations('worker')).toMatchObject({
    [annotations.generatedByControllerVersion]: RELEASE.controllerVersion,
    [annotations.releaseImageVersion]: RELEASE.releaseVersion,
  });
  await world.startControllers(undefined, { release: NEXT });
  await world.env.clock.advance(MINUTE);
  expect(await target(world, 'worker')).toBe(before);
  expect(await renderedAnnotations('worker')).toEqual({
    [annotations.generatedByControllerVersion]: NEXT.controllerVersion,
    [annotations.releaseImageVersion]: NEXT.releaseVersion,
  });
});

it('removes the note of an overridden OS image once the image is the one of the pool', async () => {
  await installedByOldVersion();
  const name = await target(world, 'worker');
  const body = {
    metadata: { annotations: { [annotations.osImageURLOverridden]: 'true', 'example.com/note': 'kept' } },
  };
  await world.kube.patch(machineConfig, { name }, { type: 'merge', body });
  await world.startControllers();
  await world.env.clock.advance(MINUTE);
  expect(await renderedAnnotations('worker')).toEqual({
    [annotations.generatedByControllerVersion]: RELEASE.controllerVersion,
    [annotations.releaseImageVersion]: RELEASE.releaseVersion,
    'example.com/note': 'kept',
  });
});

it('carries the pre-flight checks that sources skip to the rendered config, also later', async () => {
  await installedByOldVersion();
  await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
  await world.startControllers();
  await world.env.clock.advance(MINUTE);
  const before = await target(world, 'worker');
  const annotate = async (value: string | null) => {
    const body = { metadata: { annotations: { [annotations.skipPreflight]: value } } };
    await world.kube.patch(machineConfig, { name: '50-worker-motd' }, { type: 'merge', body });
    await world.env.clock.advance(MINUTE);
    return (await renderedAnnotations('worker'))[annotations.skipPreflight];
  };
  expect(await annotate('kubelet-unit')).toBe('kubelet-unit');
  expect(await annotate(null)).toBeUndefined();
  expect(await target(world, 'worker')).toBe(before);
});

it('renders nothing while the OSImageStream is of another build', async () => {
  await installedByOldVersion();
  const stream = (build: string) => ({
    metadata: { annotations: { [annotations.releaseImageVersion]: build } },
  });
  await world.kube.create(osImageStream, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'OSImageStream',
    metadata: { name: 'cluster', ...stream('old').metadata },
    spec: { defaultStream: 'nine' },
  });
  await world.startControllers();
  await untilDegraded('True');
  expect((await condition(world, 'worker', 'RenderDegraded'))[1]).toContain(
    'could not generate rendered MachineConfig: ignoring OSImageStream with version old (my version: test)',
  );
  const body = stream(RELEASE.controllerVersion);
  await world.kube.patch(osImageStream, { name: 'cluster' }, { type: 'merge', body });
  await untilDegraded('False');
  expect(
    (await world.kube.get(machineConfigPool, { name: 'worker' }))?.spec.configuration?.name,
  ).toBeTruthy();
});
