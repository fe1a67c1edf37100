/**
 * Plans are held to reality: what a plan says of a change is compared with what then happens on a cluster with real controllers
 * and real daemons.
 *
 * The changes are applied one after the other on the same cluster. Each row of the corpus is two of them: to its first side, and
 * from there to its second. `MILLWRIGHT_ALL_CHANGES=1` (`npm run test:plan`) tries all, otherwise a part.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  labels,
  type MachineConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  type NodeDisruptionPolicy,
} from '../../src/api/index.ts';
import type { SnapshotObject } from '../../src/insight/index.ts';
import { runPod, startReaper } from '../rollout/pod-reaper.ts';
import { createAccount, GUARDED, setBudget, target, untilBlocked } from '../rollout/story-steps.ts';
import { aConfig, aFile } from '../support/build.ts';
import { CHANGES, type Change, type Side } from '../support/change-corpus.ts';
import { createReality, type Reality } from './hold-to-reality.ts';
import { EXTENSIONS, MINUTE, type PlannedCluster, startPlannedCluster } from './planned-cluster.ts';
import { SETTINGS_CHANGES } from './settings-changes.ts';

const isComplete = process.env.MILLWRIGHT_ALL_CHANGES === '1';
/** A prime, so that every kind of row is among them. */
const STRIDE = isComplete ? 1 : 7;
const WORKERS = 2;

/** Force files and first boots are not about changes of objects; image mode has changes of its own. */
const isPlannable = ({ isForced, isFirstBoot, before, after }: Change): boolean =>
  isForced !== true && isFirstBoot !== true && before?.image === undefined && after?.image === undefined;
/** A path of its own for each: a folder that one row has filled stays where another one wants a file. */
const withOwnPaths = (row: Change, index: number): Change =>
  JSON.parse(JSON.stringify(row).replaceAll('"/etc/foo', `"/etc/foo${index}`));
const ROWS = CHANGES.map(withOwnPaths)
  .filter(isPlannable)
  .filter((_, index) => index % STRIDE === 0);

const BASE = '00-worker';

type Restored = {
  readonly what: string;
  readonly change?: object;
  readonly deletion?: { readonly kind: 'base' | 'rendered' | 'pool' };
  readonly why: string;
};

const AGAIN = 'belongs to the controllers, which create it again';
const RESTORED: readonly Restored[] = [
  {
    what: 'a change of a base config',
    change: { kernelArguments: ['quiet'] },
    why: 'belongs to the controllers, which undo the change',
  },
  { what: 'the deletion of a base config', deletion: { kind: 'base' }, why: AGAIN },
  { what: 'the deletion of the rendered config of a pool', deletion: { kind: 'rendered' }, why: AGAIN },
  {
    what: 'the deletion of a built-in pool',
    deletion: { kind: 'pool' },
    why: 'is built in: the operator creates it again, without what was changed in it',
  },
];

let cluster: PlannedCluster;
let reality: Reality;
let resets = 0;

beforeAll(async () => {
  cluster = await startPlannedCluster({ workers: WORKERS });
  reality = await createReality(cluster);
});
afterAll(async () => {
  await cluster.stop();
  process.stdout.write(`plans that were held to reality: ${reality.compared()}\n`);
});

describe('a plan', { timeout: 10 * MINUTE }, () => {
  it.each(ROWS)('says what happens for $what', async ({ before = {}, after = {}, policy }) => {
    await reality.hold([rowPolicy(policy), rowConfig(before)]);
    await reality.hold([rowConfig(after)]);
    // A unit cannot be restarted once it is gone, which its policy may ask for: the next change reboots.
    if (after.systemd !== undefined) resets++;
  });

  it.each(SETTINGS_CHANGES)('says what happens for $what', async ({ objects }) => {
    await reality.hold(objects);
    await reality.hold([], objects);
  });

  it.each(RESTORED)('says that $what is undone, and no node moves', async ({ change, deletion, why }) => {
    const { kube } = cluster.world;
    const place = { name: deletion?.kind === 'rendered' ? await target(cluster.world, 'worker') : BASE };
    const config = await kube.get(machineConfigKind, place);
    const pool = await kube.get(machineConfigPoolKind, { name: 'worker' });
    const object = deletion?.kind === 'pool' ? pool : config;
    if (object === undefined) throw new Error(`there is no ${place.name}`);
    const applied = change === undefined ? [] : [{ ...plain(object), spec: { ...object.spec, ...change } }];
    const { plan, happened } = await reality.hold(applied, deletion === undefined ? [] : [plain(object)]);
    expect(plan).toMatchObject({ effect: 'none', pools: [], warnings: [{ message: why }] });
    expect(happened.targeted).toEqual([]);
  });

  it('says that a node which is being updated goes back once it is done', async () => {
    const { world } = cluster;
    const apply = (object: SnapshotObject) =>
      world.kube.apply(machineConfigKind, object as unknown as MachineConfig);
    await apply(rowConfig({}));
    await world.env.clock.advance(MINUTE);
    await world.untilUpdated(['worker'], 30 * MINUTE);
    const before = await target(world, 'worker');
    await createAccount(world);
    startReaper(world, { endsAfterMs: () => 5_000 });
    await runPod(world, 'guarded', 'worker-0', GUARDED);
    await setBudget(world, 0);
    await apply(rowConfig({ storage: { files: [aFile('/etc/on-its-way', 'x')] } }));
    await untilBlocked(world, 'worker-0');
    const { pools, effect } = await reality.plan({ applied: [rowConfig({})], deleted: [] });
    expect(pools.map(({ waiting, nodes }) => [waiting, nodes])).toEqual([
      [[{ name: 'worker-0', why: 'is being updated, and follows when it is done' }], []],
    ]);
    expect(effect).toBe('disruptive');
    await cluster.happened();
    await apply(rowConfig({}));
    await world.until('it is back', async () => (await target(world, 'worker')) === before, 5 * MINUTE);
    await setBudget(world, 1);
    await world.untilUpdated(['worker'], 30 * MINUTE);
    expect(await cluster.happened()).toMatchObject({
      targeted: ['worker-0'],
      nodes: { 'worker-0': { isRebooted: true } },
    });
  });

  it('sends no writes', () => {
    expect(reality.writes).toEqual([]);
    if (isComplete) expect(reality.compared()).toBeGreaterThanOrEqual(100);
  });
});

/** Without what the server adds. */
function plain({
  apiVersion,
  kind,
  metadata: { name, labels: its },
  ...rest
}: SnapshotObject): SnapshotObject {
  return { apiVersion, kind, metadata: { name, ...(its && { labels: its }) }, ...rest };
}

/** Sorts behind all generated configs, so that it wins. */
const NAME = '99-worker-zz-change';

function rowConfig({ spec, image: _, storage, ...sections }: Side): SnapshotObject {
  const files = [...(storage?.files ?? []), aFile('/etc/reset', String(resets))];
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: NAME, labels: { [labels.role]: 'worker' } },
    spec: {
      baseOSExtensionsContainerImage: EXTENSIONS,
      config: aConfig({ ...sections, storage: { ...storage, files } }),
      ...spec,
    },
  } as unknown as SnapshotObject;
}

function rowPolicy(policy: NodeDisruptionPolicy | undefined): SnapshotObject {
  return {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'MachineConfiguration',
    metadata: { name: 'cluster' },
    spec: policy === undefined ? {} : { nodeDisruptionPolicy: policy },
  } as unknown as SnapshotObject;
}
