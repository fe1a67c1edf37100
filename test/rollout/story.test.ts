/** Rollouts in virtual time: actions of administrators, and the invariants that hold throughout. */
import { afterEach, describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool } from '../../src/api/index.ts';
import { event as eventKind } from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, type World, type WorldOptions } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { startWorld } from './world.ts';

const HOUR = 3_600_000;

describe('a rollout', () => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const begin = async (options: WorldOptions = {}): Promise<void> => {
    world = await startWorld(options);
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    await world.startControllers();
  };
  const firstConfig = async (): Promise<void> => {
    await world.untilUpdated(['master', 'worker'], 120_000);
  };
  const target = async (pool: string) => (await world.pool(pool)).spec.configuration?.name ?? '';
  const patchPool = (name: string, spec: object) =>
    world.kube.patch(machineConfigPool, { name }, { type: 'merge', body: { spec } });
  const newTarget = async (pool: string, name: string, text: string): Promise<string> => {
    const before = await target(pool);
    await world.apply(aMachineConfig(name, pool, text));
    await world.until('a new target', async () => (await target(pool)) !== before, 20_000);
    return target(pool);
  };
  const allInService = async () => {
    const nodes = await world.nodes();
    expect(nodes.filter(({ spec }) => spec.unschedulable).map(({ metadata }) => metadata.name)).toEqual([]);
  };
  const condition = async (pool: string, type: string) => {
    const found = (await world.pool(pool)).status?.conditions?.find((one) => one.type === type);
    return [found?.status, found?.message];
  };

  it('updates three and three nodes to a new configuration, one of each pool at a time', async () => {
    await begin();
    await world.startDaemons();
    await firstConfig();
    const config = await newTarget('worker', '50-worker-motd', 'hello');
    await world.untilUpdated(['worker', 'master'], HOUR);
    for (const node of await world.nodes()) {
      if (!node.metadata.name.startsWith('worker')) continue;
      expect(node.metadata.annotations).toMatchObject({
        [annotations.currentConfig]: config,
        [annotations.state]: 'Done',
      });
    }
    await allInService();
    expect(judge.faults).toEqual([]);
    expect(Object.fromEntries(judge.mostDown)).toEqual({ worker: 1, master: 0 });
    expect([...judge.cordons.values()]).toEqual([1, 1, 1]);
    expect(await condition('worker', 'Updated')).toEqual([
      'True',
      `All nodes are updated with MachineConfig ${config}`,
    ]);
    const events = (await world.kube.list(eventKind)).items.map(
      ({ reason, message }) => `${reason} ${message}`,
    );
    expect(events).toContain(`SetDesiredConfig Targeted node worker-0 to MachineConfig: ${config}`);
    expect(events).toContain(`Completed Pool worker has completed update to MachineConfig ${config}`);
  });

  it('renders three applies in a row once', async () => {
    await begin();
    await world.startDaemons();
    await firstConfig();
    const count = async () =>
      (await world.kube.list(machineConfig)).items.filter(({ metadata }) =>
        metadata.name.startsWith('rendered-worker'),
      ).length;
    const before = await count();
    for (const text of ['one', 'two', 'three']) {
      await world.apply(aMachineConfig(`50-worker-${text}`, 'worker', text));
      await world.env.clock.advance(1_000);
    }
    await world.env.clock.advance(10_000);
    expect(await count()).toBe(before + 1);
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('renders a paused pool, and sends its nodes once it is resumed', async () => {
    await begin();
    await world.startDaemons();
    await firstConfig();
    await patchPool('worker', { paused: true });
    const config = await newTarget('worker', '50-worker-motd', 'hello');
    await world.env.clock.advance(600_000);
    expect(judge.mostDown.get('worker')).toBe(0);
    expect(await condition('worker', 'Updating')).toEqual([
      'False',
      `Pool is paused; will not update to MachineConfig ${config}`,
    ]);
    await patchPool('worker', { paused: false });
    await world.untilUpdated(['worker'], HOUR);
    await allInService();
    expect(judge.faults).toEqual([]);
  });

  it.each([
    [1, 1],
    [3, 3],
    ['34%', 2],
  ])('makes exactly maxUnavailable %s of six nodes unavailable at once', async (given, limit) => {
    await begin({ workers: 6 });
    judge.allow('worker', limit);
    await world.startDaemons();
    await firstConfig();
    await patchPool('worker', { maxUnavailable: given });
    await newTarget('worker', '50-worker-motd', 'hello');
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
    expect(judge.mostDown.get('worker')).toBe(limit);
    await allInService();
  });

  it('stops at a node that fails, reports the error, and recovers when the node does', async () => {
    await begin();
    const broken = new Set(['worker-0']);
    await world.startDaemons({
      failure: (node, config) => (broken.has(node) && config !== first ? 'cannot write /etc/x' : undefined),
    });
    let first = '';
    await firstConfig();
    first = await target('worker');
    await newTarget('worker', '50-worker-motd', 'bad');
    await world.until(
      'the pool is degraded',
      async () => (await condition('worker', 'Degraded'))[0] === 'True',
      HOUR,
    );
    const [, message] = await condition('worker', 'NodeDegraded');
    expect(message).toBe(
      'Node worker-0 is reporting: "Node worker-0 upgrade failure. cannot write /etc/x", Node worker-0 is reporting: "cannot write /etc/x"',
    );
    expect((await world.pool('worker')).status?.degradedMachineCount).toBe(1);
    broken.clear();
    await world.untilUpdated(['worker'], HOUR);
    expect(await condition('worker', 'Degraded')).toEqual(['False', '']);
    await allInService();
    expect(judge.faults).toEqual([]);
  });

  it('switches to a newer target halfway; nodes that have not begun skip the older one', async () => {
    await begin({ workers: 4 });
    await world.startDaemons();
    await firstConfig();
    const older = await newTarget('worker', '50-worker-motd', 'one');
    await world.until(
      'two nodes have it',
      async () => (await world.pool('worker')).status?.updatedMachineCount === 1,
      HOUR,
    );
    const newer = await newTarget('worker', '50-worker-motd', 'two');
    await world.untilUpdated(['worker'], HOUR);
    const nodes = (await world.nodes()).filter(({ metadata }) => metadata.name.startsWith('worker'));
    expect(nodes.map(({ metadata }) => metadata.annotations?.[annotations.currentConfig])).toEqual([
      newer,
      newer,
      newer,
      newer,
    ]);
    expect(older).not.toBe(newer);
    // Those that had begun go twice, the others once.
    const drains = [...judge.cordons].filter(([name]) => name.startsWith('worker')).map(([, count]) => count);
    expect(drains.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(6);
    expect(judge.faults).toEqual([]);
    await allInService();
  });
});
