/** No node is sent to a target that is about to be replaced, whichever source has changed. */
import { afterEach, expect, it } from 'vitest';
import { annotations, machineConfigPool } from '../../src/api/index.ts';
import { configMap } from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { MINUTE, target } from './story-steps.ts';
import { startWorld } from './world.ts';

let world: World;
afterEach(() => world.stop());

/** A pool whose target is newer than its nodes, paused so that none of them has been sent there. */
async function pausedBehindItsTarget(): Promise<string> {
  world = await startWorld({ masters: 1, workers: 2 });
  const first = await world.startControllers();
  await world.startDaemons();
  await world.untilUpdated(['master', 'worker'], 2 * MINUTE);
  await setPaused(true);
  const before = await target(world, 'worker');
  await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
  await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
  await first.stop();
  return target(world, 'worker');
}

const setPaused = (paused: boolean) =>
  world.kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body: { spec: { paused } } });

const changeOsImage = () =>
  world.kube.create(configMap, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'machine-config-osimageurl', namespace: 'openshift-machine-config-operator' },
    data: { releaseVersion: '4.99.0', osImageURL: 'registry.example/os@sha256:0' },
  });

/** Every configuration to which a worker is sent within the time. */
async function sentWithin(ms: number): Promise<ReadonlySet<string>> {
  const sent = new Set<string>();
  for (let passed = 0; passed < ms; passed += 250) {
    await world.env.clock.advance(250);
    for (const { metadata } of await world.nodes()) {
      if (metadata.name.startsWith('worker'))
        sent.add(metadata.annotations?.[annotations.desiredConfig] ?? '');
    }
  }
  return sent;
}

it('sends no node to the old target while a change of the OS image is not rendered', async () => {
  const old = await pausedBehindItsTarget();
  await world.startControllers();
  await world.env.clock.advance(MINUTE);
  await changeOsImage();
  await world.env.clock.advance(100);
  await setPaused(false);
  expect(await sentWithin(20_000)).not.toContain(old);
  expect(await target(world, 'worker')).not.toBe(old);
  await world.untilUpdated(['worker'], 30 * MINUTE);
});

it('sends no node after a restart until the pool was rendered once', async () => {
  const old = await pausedBehindItsTarget();
  await changeOsImage();
  await setPaused(false);
  await world.startControllers();
  expect(await sentWithin(20_000)).not.toContain(old);
  expect(await target(world, 'worker')).not.toBe(old);
  await world.untilUpdated(['worker'], 30 * MINUTE);
});

it('sends nodes to the present target once its sources are rendered without a change', async () => {
  const old = await pausedBehindItsTarget();
  await setPaused(false);
  await world.startControllers();
  expect(await sentWithin(20_000)).toContain(old);
});
