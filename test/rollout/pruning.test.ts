/** Rendered configs that nothing needs: by the controller where a pool asks for it, and while the cluster changes. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool, machineConfiguration } from '../../src/api/index.ts';
import { listRenderedConfigs, type Pruned, pruneConfigs } from '../../src/controllers/index.ts';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { eventsAbout, firstConfig, HOUR, MINUTE, newTarget, target } from './story-steps.ts';
import { startWorld } from './world.ts';

let world: World;
let first: string;
beforeEach(async () => {
  world = await startWorld({ masters: 1, workers: 2 });
  await world.startControllers();
  await world.startDaemons();
  await firstConfig(world);
  first = await target(world, 'worker');
});
afterEach(() => world.stop());

/** The pool goes through these contents; returns its targets. */
async function targets(...texts: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const text of texts) {
    names.push(await newTarget(world, 'worker', text));
    await world.untilUpdated(['worker'], HOUR);
  }
  return names;
}

const rendered = async () =>
  (await world.kube.list(machineConfig)).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('rendered-worker-'))
    .toSorted();

/** What the daemon of a node would report: scripted ones report nothing. */
const reportDisk = async (configs: readonly string[], ...nodes: readonly string[]) => {
  const value = JSON.stringify({ bootID: 'boot', configs });
  const body = { metadata: { annotations: { [annotations.diskConfigs]: value } } };
  for (const name of nodes) await world.kube.patch(nodeKind, { name }, { type: 'merge', body });
};

const ask = async (value: string) => {
  const body = { metadata: { annotations: { [annotations.pruneRenderedConfigs]: value } } };
  await world.kube.patch(machineConfigPool, { name: 'worker' }, { type: 'merge', body });
};

it('The controller prunes a pool that asks for it, and keeps what a disk alone refers to.', async () => {
  const [a = '', b = '', c = '', last = ''] = await targets('a', 'b', 'c', 'd');
  await world.env.clock.advance(25 * HOUR);
  expect(await rendered()).toEqual([first, a, b, c, last].toSorted());
  await ask('1');
  await world.env.clock.advance(2 * HOUR);
  // No node has reported what its disk refers to.
  expect(await rendered()).toEqual([first, a, b, c, last].toSorted());
  await reportDisk([], 'worker-0');
  await reportDisk([b], 'worker-1');
  await world.env.clock.advance(2 * HOUR);
  expect(await rendered()).toEqual([b, last].toSorted());
  const pruned = (await eventsAbout(world, 'MachineConfigPool', 'worker')).filter(
    ({ reason }) => reason === 'RenderedConfigsPruned',
  );
  expect(pruned).toMatchObject([{ message: expect.stringContaining('Deleted 3 rendered MachineConfigs') }]);
  // Back to a content whose config was deleted: the same name, and the nodes follow.
  expect(await targets('a')).toEqual([a]);
});

it('The setting of the MachineConfiguration is for all pools, and an invalid one is reported and prunes nothing.', async () => {
  await targets('a', 'b');
  await reportDisk([], 'worker-0', 'worker-1');
  const metadata = { name: 'cluster', annotations: { [annotations.pruneRenderedConfigs]: '0' } };
  await world.kube.apply(machineConfiguration, {
    ...{ apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', metadata },
    ...{ spec: { logLevel: 'Normal', managementState: 'Managed', operatorLogLevel: 'Normal' } },
  });
  await ask('some');
  await world.env.clock.advance(26 * HOUR);
  expect(await rendered()).toHaveLength(3);
  const message = expect.stringContaining('"some": write how many of the newest rendered configs are kept');
  expect(await eventsAbout(world, 'MachineConfigPool', 'worker')).toContainEqual(
    expect.objectContaining({ reason: 'InvalidPruneSetting', message }),
  );
  await world.kube.patch(
    machineConfigPool,
    { name: 'worker' },
    { type: 'merge', body: { metadata: { annotations: { [annotations.pruneRenderedConfigs]: null } } } },
  );
  await world.env.clock.advance(2 * HOUR);
  expect(await rendered()).toEqual([await target(world, 'worker')]);
});

/** Something happens right before the first deletion, after all looks. */
function interrupted(kube: Kube, before: () => Promise<void>): Kube {
  let isDone = false;
  return {
    ...kube,
    get: kube.get.bind(kube),
    list: kube.list.bind(kube),
    async delete(...args) {
      if (!isDone) {
        isDone = true;
        await before();
      }
      return kube.delete(...args);
    },
  } as Kube;
}

it('A config that a pool is pointed at between the look and the deletion is not deleted.', async () => {
  const [a = '', b = ''] = await targets('a', 'b');
  await reportDisk([], 'worker-0', 'worker-1');
  await world.env.clock.advance(MINUTE);
  const configs = (await listRenderedConfigs(world.kube)).filter(({ metadata }) => metadata.name === a);
  const pruned: Pruned[] = [];
  const kube = interrupted(world.kube, async () => {
    expect(await newTarget(world, 'worker', 'a')).toBe(a);
  });
  const settings = { keep: () => 0, minAgeMs: 0, nowMs: () => world.env.clock.now() };
  await pruneConfigs(kube, configs, { ...settings, onPruned: (one) => pruned.push(one) });
  expect(pruned).toMatchObject([{ config: { metadata: { name: a } }, refused: 'it was changed meanwhile' }]);
  expect(await rendered()).toEqual([first, a, b].toSorted());
  await world.untilUpdated(['worker'], HOUR);
});

it('A target that was deleted all the same is rendered again under its name, and the nodes follow.', async () => {
  const [a = ''] = await targets('a');
  await world.kube.delete(machineConfig, { name: a });
  await world.until('it is there again', async () => (await rendered()).includes(a), MINUTE);
  await world.untilUpdated(['worker'], HOUR);
});
