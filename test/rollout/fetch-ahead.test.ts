/**
 * Nodes beyond maxUnavailable are asked to download the OS image of their pool's target: which, for how long, and that nothing
 * else of the rollout depends on it.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import { isObject } from '../../src/base/json.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { firstConfig, HOUR, MINUTE, newTarget, patchPool, target } from './story-steps.ts';
import { startWorld } from './world.ts';

const NEW_OS = `registry.example/os@sha256:${'b'.repeat(64)}`;
const OTHER_OS = `registry.example/os@sha256:${'c'.repeat(64)}`;

let world: World;
/** How often the annotation of each node was set or removed, and the most nodes that had it at once. */
let writes: Map<string, number>;
let most: number;

beforeEach(async () => {
  world = await startWorld({ masters: 1, workers: 7 });
  await world.startControllers();
  await world.startDaemons({ applyMs: 20_000, rebootMs: 60_000 });
  await firstConfig(world);
  writes = new Map();
  most = 0;
  const values = new Map<string, string>();
  world.store.subscribe({ prefix: '/nodes/', from: world.store.revision() }, (event) => {
    if (event.kind !== 'put') return;
    const node: unknown = JSON.parse(new TextDecoder().decode(event.value));
    const metadata = isObject(node) && isObject(node.metadata) ? node.metadata : {};
    const found = isObject(metadata.annotations) ? metadata.annotations[annotations.fetchImage] : undefined;
    const [name, image] = [String(metadata.name), typeof found === 'string' ? found : ''];
    if ((values.get(name) ?? '') !== image) writes.set(name, (writes.get(name) ?? 0) + 1);
    values.set(name, image);
    most = Math.max(most, [...values.values()].filter((one) => one !== '').length);
  });
});
afterEach(() => world.stop());

async function wantImage(osImageURL: string): Promise<void> {
  const before = await target(world, 'worker');
  const config = aMachineConfig('60-worker-os', 'worker', 'x');
  await world.apply({ ...config, spec: { ...config.spec, osImageURL } });
  await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
}

const asked = async () =>
  (await world.nodes()).flatMap(({ metadata }) => {
    const image = metadata.annotations?.[annotations.fetchImage];
    return image === undefined ? [] : [`${metadata.name} ${image}`];
  });
const untilAsked = (count: number) =>
  world.until(`${count} nodes are asked`, async () => (await asked()).length === count, MINUTE);

describe('a rollout of another OS image', () => {
  it('asks three nodes besides the one that is being updated, each once, and none in the end', async () => {
    await wantImage(NEW_OS);
    await untilAsked(3);
    expect(await asked()).toEqual(['worker-1', 'worker-2', 'worker-3'].map((name) => `${name} ${NEW_OS}`));
    const { status } = await world.pool('worker');
    expect([
      status?.unavailableMachineCount,
      status?.updatedMachineCount,
      status?.degradedMachineCount,
    ]).toEqual([1, 0, 0]);
    await world.untilUpdated(['worker'], HOUR);
    expect(await asked()).toEqual([]);
    expect(most).toBe(3);
    // It is set, and goes with the write that sends the node. The first one was sent at once.
    const others = [1, 2, 3, 4, 5, 6].map((at) => [`worker-${at}`, 2]);
    expect([...writes].sort()).toEqual(others);
  });

  it('asks nobody where all nodes are sent at once', async () => {
    await patchPool(world, 'worker', { maxUnavailable: 7 });
    await wantImage(NEW_OS);
    await world.untilUpdated(['worker'], HOUR);
    expect([...writes]).toEqual([]);
  });

  it('asks for the newer image where the target changes', async () => {
    await wantImage(NEW_OS);
    await untilAsked(3);
    await wantImage(OTHER_OS);
    await world.until(
      'the newer image',
      async () => (await asked()).every((line) => line.endsWith(OTHER_OS)),
      MINUTE,
    );
    await world.untilUpdated(['worker'], HOUR);
    expect(await asked()).toEqual([]);
  });

  it('survives a restart of the controllers without asking anyone again', async () => {
    await wantImage(NEW_OS);
    await untilAsked(3);
    const before = [...writes];
    await world.startControllers();
    await world.env.clock.advance(5_000);
    expect([...writes]).toEqual(before);
  });
});

describe('a paused pool', () => {
  it('asks nobody', async () => {
    await patchPool(world, 'worker', { paused: true });
    await wantImage(NEW_OS);
    await world.env.clock.advance(10 * MINUTE);
    expect([...writes]).toEqual([]);
  });

  it('takes back what it has asked for, and asks again when it goes on', async () => {
    await wantImage(NEW_OS);
    await untilAsked(3);
    await patchPool(world, 'worker', { paused: true });
    await untilAsked(0);
    await world.env.clock.advance(10 * MINUTE);
    expect(await asked()).toEqual([]);
    await patchPool(world, 'worker', { paused: false });
    await untilAsked(3);
    await world.untilUpdated(['worker'], HOUR);
  });
});

describe('a rollout of files', () => {
  it('asks nobody', async () => {
    await newTarget(world, 'worker', 'another text');
    await world.untilUpdated(['worker'], HOUR);
    expect([...writes]).toEqual([]);
  });
});
