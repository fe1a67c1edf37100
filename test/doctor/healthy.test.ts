/**
 * Clusters in which everything is fine, or merely busy: no cause is asserted. The doctor looks every second of what happens, not
 * only at its end.
 */
import { afterEach, expect, it } from 'vitest';
import { machineConfig as machineConfigKind } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { runPod, startReaper } from '../rollout/pod-reaper.ts';
import {
  cordonAsAdmin,
  createAccount,
  GUARDED,
  patchPool,
  setBudget,
  target,
} from '../rollout/story-steps.ts';
import { aNode } from '../rollout/world.ts';
import { type BuildScene, startBuildScene } from './build-scene.ts';
import { HEALTHY } from './catalogue.ts';
import {
  aConfig,
  aFile,
  type DoctorWorld,
  MINUTE,
  startDoctorWorld,
  startScriptedWorld,
} from './doctor-world.ts';
import { codesOf, type Scene } from './run-stories.ts';

const SECOND = 1_000;
const done: string[] = [];
let scene: Scene | undefined;

afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

async function started<S extends Scene>(start: () => Promise<S>): Promise<S> {
  const begun = await start();
  scene = begun;
  return begun;
}

const title = (id: string) =>
  `${id}: ${HEALTHY.find((state) => state.id === id)?.state}: no cause is asserted`;

/** Looks until the state is over, or for a while. */
async function watch(
  { diagnose, statusCodes, pass }: Scene,
  {
    forMs,
    stepMs = SECOND,
    isOver = async () => false,
  }: { forMs: number; stepMs?: number; isOver?: () => Promise<boolean> },
): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += stepMs) {
    const found = await diagnose();
    expect({ codes: codesOf(found), isBlocked: found.isBlocked }).toEqual({ codes: [], isBlocked: false });
    expect(await statusCodes()).toEqual([]);
    if (await isOver()) return;
    await pass(stepMs);
  }
}

const isUpdated =
  ({ world }: DoctorWorld) =>
  async () =>
    (await world.pool('worker')).status?.conditions?.find(({ type }) => type === 'Updated')?.status ===
    'True';

it(title('H-01'), async () => {
  await watch(await started(startScriptedWorld), { forMs: 10 * MINUTE, stepMs: MINUTE });
  done.push('H-01');
});

it(title('H-02'), async () => {
  const cluster = await started(startDoctorWorld);
  await cluster.world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
  await cluster.pass(6 * SECOND);
  await watch(cluster, { forMs: 5 * MINUTE, isOver: isUpdated(cluster) });
  expect(await isUpdated(cluster)()).toBe(true);
  done.push('H-02');
});

it(title('H-03'), async () => {
  const cluster = await started(startScriptedWorld);
  await createAccount(cluster.world);
  startReaper(cluster.world, { endsAfterMs: () => 5 * SECOND });
  // Two of two are needed until the replacement of the first one runs.
  await runPod(cluster.world, 'web-0', 'worker-0', GUARDED);
  await setBudget(cluster.world, 0);
  await cluster.world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
  const isRefused = async () =>
    JSON.stringify((await cluster.world.node('worker-0')).metadata.annotations).includes('lastRefusal');
  await watch(cluster, { forMs: MINUTE, isOver: isRefused });
  expect(await isRefused()).toBe(true);
  // Also while a replacement starts, which takes most of a minute.
  await watch(cluster, { forMs: 40 * SECOND });
  await setBudget(cluster.world, 1);
  await watch(cluster, { forMs: 10 * MINUTE, stepMs: 5 * SECOND, isOver: isUpdated(cluster) });
  done.push('H-03');
});

it(title('H-04'), async () => {
  const cluster = await started(startScriptedWorld);
  await patchPool(cluster.world, 'worker', { paused: true });
  await watch(cluster, { forMs: 5 * MINUTE, stepMs: 30 * SECOND });
  done.push('H-04');
});

it(title('H-05'), async () => {
  const cluster = await started(startScriptedWorld);
  await cordonAsAdmin(cluster.world, 'worker-1', true);
  await watch(cluster, { forMs: 30 * MINUTE, stepMs: 2 * MINUTE });
  done.push('H-05');
});

it(title('H-06'), async () => {
  const cluster = await started(startScriptedWorld);
  const before = await target(cluster.world, 'worker');
  await cluster.world.apply(aConfig('60-x', aFile('/etc/x', 'x')));
  const isRendered = async () => (await target(cluster.world, 'worker')) !== before;
  await watch(cluster, { forMs: MINUTE, stepMs: 500, isOver: isRendered });
  expect(await isRendered()).toBe(true);
  done.push('H-06');
});

/** Until the image is there. */
const isBuilt =
  ({ cluster }: BuildScene) =>
  async () =>
    (await cluster.config())?.status?.currentImagePullSpec !== undefined;

it(title('H-07'), async () => {
  const builds = await started(startBuildScene);
  builds.cluster.script.podMs = 20 * MINUTE;
  builds.startBuilder();
  await builds.cluster.configure();
  await watch(builds, { forMs: 30 * MINUTE, stepMs: 10 * SECOND, isOver: isBuilt(builds) });
  expect(await isBuilt(builds)()).toBe(true);
  done.push('H-07');
});

it(title('H-08'), async () => {
  const builds = await started(startBuildScene);
  builds.cluster.script.outcome = (_, pod) =>
    pod < 3 ? { kind: 'fails', message: 'STEP 1: RUN false: exit status 1' } : { kind: 'succeeds' };
  builds.startBuilder();
  await builds.cluster.configure();
  await watch(builds, { forMs: 30 * MINUTE, stepMs: 5 * SECOND, isOver: isBuilt(builds) });
  expect(await isBuilt(builds)()).toBe(true);
  done.push('H-08');
});

it(title('H-09'), async () => {
  const cluster = await started(startDoctorWorld);
  cluster.registry.isHanging = true;
  await cluster.world.apply(aConfig('60-os', { osImageURL: cluster.registry.image }));
  await watch(cluster, { forMs: 20 * MINUTE, stepMs: 10 * SECOND });
  done.push('H-09');
});

it(title('H-10'), async () => {
  const cluster = await started(startScriptedWorld);
  await cluster.world.kube.create(nodeKind, aNode('worker-9', ['worker']));
  await watch(cluster, { forMs: 5 * MINUTE, stepMs: 5 * SECOND });
  done.push('H-10');
});

it(title('H-11'), async () => {
  const cluster = await started(startDoctorWorld);
  const undos = cluster.machines.map(({ disk }) =>
    disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] }),
  );
  await cluster.world.apply(aConfig('60-x', aFile('/etc/blocked', 'x')));
  await cluster.pass(2 * MINUTE);
  expect(codesOf(await cluster.diagnose())).toEqual(['NodeDegraded']);
  for (const undo of undos) undo();
  await cluster.settle();
  await watch(cluster, { forMs: 5 * MINUTE, stepMs: 30 * SECOND });
  await cluster.world.kube.delete(machineConfigKind, { name: '60-x' });
  await watch(cluster, { forMs: 5 * MINUTE, stepMs: 5 * SECOND });
  done.push('H-11');
});

it(title('H-12'), async () => {
  const cluster = await started(startDoctorWorld);
  const [first] = cluster.machines;
  await first?.machine.shutDown();
  await watch(cluster, { forMs: 50 * SECOND });
  await first?.machine.boot();
  await watch(cluster, { forMs: 5 * MINUTE, stepMs: 10 * SECOND });
  done.push('H-12');
});

it('every healthy state of the catalogue was watched', () => {
  expect(done.toSorted()).toEqual(HEALTHY.map(({ id }) => id));
});
