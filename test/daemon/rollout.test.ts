/**
 * A whole rollout with the operator, the controllers and three real daemons. The status of a pool
 * contains the messages of its nodes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { readNodeConfig } from '../../src/node/plan/index.ts';
import { aMachineConfig, type World } from '../rollout/build-world.ts';
import { type Judge, watchAsJudge } from '../rollout/judge.ts';
import { condition, target } from '../rollout/story-steps.ts';
import { startWorld } from '../rollout/world.ts';
import { createDaemonNode, type DaemonNode, OLD_OS, osImages, provision } from './daemon-node.ts';

const MINUTE = 60_000;
let world: World;
let judge: Judge;
/** Writes to a Node and its MachineConfigNode, by node. */
const writes = new Map<string, number>();
const nodes: DaemonNode[] = [];

beforeAll(async () => {
  world = await startWorld({ masters: 0, workers: 3 });
  judge = watchAsJudge(world.store, () => 'worker');
  for (const prefix of ['/nodes/', 'machineconfiguration.openshift.io/machineconfignodes/']) {
    world.store.subscribe({ prefix, from: world.store.revision() }, ({ key }) => {
      const name = key.split('/').at(-1) ?? '';
      writes.set(name, (writes.get(name) ?? 0) + 1);
    });
  }
  await world.startControllers();
  const hasTarget = async () => {
    const pool = (await world.pools()).find(({ metadata }) => metadata.name === 'worker');
    return (pool?.spec.configuration?.name ?? '') !== '';
  };
  await world.until('the pool has a config', hasTarget, 2 * MINUTE);
  const name = await target(world, 'worker');
  const stored = await world.kube.get(machineConfigKind, { name });
  const outcome = readNodeConfig(stored);
  if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome.problems));
  for (const worker of ['worker-0', 'worker-1', 'worker-2']) {
    const node = await createDaemonNode({
      env: world.env,
      handle: world.server.handle,
      name: worker,
      images: osImages(),
      image: OLD_OS,
    });
    await provision(node, outcome.value, {
      [annotations.currentConfig]: name,
      [annotations.desiredConfig]: name,
      [annotations.state]: 'Done',
    });
    nodes.push(node);
    node.startDaemon();
  }
  await world.untilUpdated(['worker'], 5 * MINUTE);
});

afterAll(async () => {
  for (const node of nodes) node.stopDaemon();
  await world.stop();
});

describe('a pool of real daemons', () => {
  it('is updated one node at a time', async () => {
    writes.clear();
    const before = new Map(judge.drains);
    await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
    await world.until(
      'it begins',
      async () => (await condition(world, 'worker', 'Updating'))[0] === 'True',
      MINUTE,
    );
    await world.untilUpdated(['worker'], 15 * MINUTE);
    for (const node of nodes) expect(await node.text('/etc/50-worker-motd')).toBe('hello');
    expect(judge.faults).toEqual([]);
    expect(judge.mostDown.get('worker')).toBe(1);
    const drains = nodes.map(({ name }) => (judge.drains.get(name) ?? 0) - (before.get(name) ?? 0));
    expect(drains).toEqual([1, 1, 1]);
    // The budget of writes per node and rollout, of all components.
    expect(Math.max(...writes.values())).toBeLessThanOrEqual(30);
  });

  it('reports the failure of a node with its message, and heals when the bad config is removed', async () => {
    const before = await target(world, 'worker');
    for (const node of nodes)
      node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const bad = aMachineConfig('60-bad', 'worker', 'x');
    const files = [{ path: '/etc/blocked', mode: 420, contents: { source: 'data:,x' } }];
    await world.apply({ ...bad, spec: { config: { ignition: { version: '3.4.0' }, storage: { files } } } });
    const isDegraded = async () => (await condition(world, 'worker', 'NodeDegraded'))[0] === 'True';
    await world.until('the pool is degraded', isDegraded, 10 * MINUTE);
    const [, message] = await condition(world, 'worker', 'NodeDegraded');
    expect(message).toMatch(
      /Node worker-\d is reporting: "Node worker-\d upgrade failure\. rename \/etc\/\.blocked\d+ \/etc\/blocked: file exists"/,
    );
    expect(message).toMatch(
      /Node worker-\d is reporting: "rename \/etc\/\.blocked\d+ \/etc\/blocked: file exists"/,
    );
    await world.kube.delete(machineConfigKind, { name: '60-bad' });
    await world.until(
      'the old target is wanted again',
      async () => (await target(world, 'worker')) === before,
      MINUTE,
    );
    await world.untilUpdated(['worker'], 15 * MINUTE);
    expect((await condition(world, 'worker', 'NodeDegraded'))[0]).toBe('False');
  });
});
