/** No node is sent to a target that is about to be replaced, whichever source has changed, and whichever cache lags. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  containerRuntimeConfig,
  imageDigestMirrorSet,
  imageTagMirrorSet,
  kubeletConfig,
  machineConfigPool,
  NAMESPACE,
  osImageStream,
} from '../../src/api/index.ts';
import { configMap } from '../../src/kubernetes/types/index.ts';
import { anIdms, anItms } from '../support/build-registries.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { control, controllers, operator, RELEASE } from './control.ts';
import { type Lag, lateWatches } from './late-watches.ts';
import { MINUTE, target } from './story-steps.ts';
import { startWorld } from './world.ts';
import type { Wrap } from './world-process.ts';

let world: World;
/** How late the caches of the controllers are. */
let lag: Lag = {};
afterEach(() => {
  lag = {};
  return world.stop();
});

const start = () => world.startControllers(lateWatches(world.env.clock, () => lag));

/** A pool whose target is newer than its nodes, paused so that none of them has been sent there. */
async function pausedBehindItsTarget(): Promise<string> {
  world = await startWorld({ masters: 1, workers: 2 });
  const first = await start();
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

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const SELECTOR = { matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' } };

const MIRROR = { source: 'a.example/x', mirrors: ['m.example/x'] };

const OS_IMAGE = 'machine-config-osimageurl';

const createOsImage = (images: { readonly [key: string]: string }) =>
  world.kube.create(configMap, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: OS_IMAGE, namespace: NAMESPACE },
    data: { releaseVersion: RELEASE.releaseVersion, ...images },
  });

const changeOsImage = () => createOsImage({ osImageURL: 'registry.example/os@sha256:0' });

/** By the resource whose watch shows it: a change after which the pool gets another target. */
const CHANGES: { readonly [plural: string]: () => Promise<unknown> } = {
  configmaps: changeOsImage,
  machineconfigs: () => world.apply(aMachineConfig('51-worker-issue', 'worker', 'welcome')),
  osimagestreams: async () => {
    const name = 'cluster';
    const streams = [{ name: 'one', osImage: `registry.example/os@sha256:${'1'.repeat(64)}` }];
    // One of another build would not be rendered from.
    const build = { [annotations.releaseImageVersion]: RELEASE.controllerVersion };
    await world.kube.create(osImageStream, {
      apiVersion: API_VERSION,
      kind: 'OSImageStream',
      metadata: { name, annotations: build },
      spec: { defaultStream: 'one' },
    });
    const extensions = `registry.example/extensions@sha256:${'1'.repeat(64)}`;
    const availableStreams = streams.map((one) => ({ ...one, osExtensionsImage: extensions }));
    const body = { status: { availableStreams, defaultStream: 'one' } };
    const patch = { type: 'merge', body } as const;
    return world.kube.patch(osImageStream, { name }, patch, { subresource: 'status' });
  },
  kubeletconfigs: () =>
    world.kube.create(kubeletConfig, {
      apiVersion: API_VERSION,
      kind: 'KubeletConfig',
      metadata: { name: 'pods' },
      spec: { machineConfigPoolSelector: SELECTOR, kubeletConfig: { maxPods: 123 } },
    }),
  containerruntimeconfigs: () =>
    world.kube.create(containerRuntimeConfig, {
      apiVersion: API_VERSION,
      kind: 'ContainerRuntimeConfig',
      metadata: { name: 'pids' },
      spec: { machineConfigPoolSelector: SELECTOR, containerRuntimeConfig: { pidsLimit: 4096 } },
    }),
  imagetagmirrorsets: () => world.kube.create(imageTagMirrorSet, anItms('tags', MIRROR)),
  imagedigestmirrorsets: () => world.kube.create(imageDigestMirrorSet, anIdms('digests', MIRROR)),
};

/** The configurations to which workers are sent until this holds. */
async function sentUntil(what: string, holds: () => Promise<boolean>): Promise<ReadonlySet<string>> {
  const sent = new Set<string>();
  const isReached = async () => {
    for (const { metadata } of await world.nodes()) {
      if (metadata.name.startsWith('worker'))
        sent.add(metadata.annotations?.[annotations.desiredConfig] ?? '');
    }
    return holds();
  };
  await world.until(what, isReached, 2 * MINUTE);
  return sent;
}

/** The nodes of the pool reach its new target without having been sent to the old one. */
async function expectOneUpdate(old: string): Promise<void> {
  const isReplaced = async () => (await target(world, 'worker')) !== old;
  expect(await sentUntil('a new target', isReplaced)).not.toContain(old);
  await world.untilUpdated(['worker'], 30 * MINUTE);
}

describe.each(Object.entries(CHANGES))('after a change of %s', (plural, change) => {
  it.each<[string, Lag]>([
    ['while no cache lags', {}],
    ['while its own cache lags', { [plural]: 4_000 }],
    ['while its own cache lags by more than the render window', { [plural]: 15_000 }],
    ['while the cache of MachineConfigs lags', { machineconfigs: 12_000 }],
    ['while the cache of ControllerConfigs lags', { controllerconfigs: 12_000 }],
    ['while the cache of pools lags', { machineconfigpools: 7_000 }],
  ])('and an unpause no node is sent to the old target %s', async (_, given) => {
    const old = await pausedBehindItsTarget();
    await start();
    await world.env.clock.advance(MINUTE);
    lag = given;
    await change();
    await setPaused(false);
    await expectOneUpdate(old);
  });
});

it.each<[string, () => Promise<unknown>]>([
  ['a source changes', () => world.apply(aMachineConfig('51-worker-issue', 'worker', 'welcome'))],
  ['the pool is paused', () => setPaused(true)],
])('sends no further node when %s while nodes are being sent', async (_, change) => {
  const workers = 60;
  world = await startWorld({ masters: 1, workers });
  const atOnce = { type: 'merge', body: { spec: { maxUnavailable: workers } } } as const;
  let sent = 0;
  let changed: Promise<unknown> | undefined;
  const changing: Wrap = (transport) => ({
    async send(request) {
      const isSending = request.method === 'PATCH' && request.path.startsWith('/api/v1/nodes/worker-');
      if (!isSending || !new TextDecoder().decode(request.body).includes('desiredConfig'))
        return transport.send(request);
      sent += 1;
      if (sent === 3) changed = change();
      const response = await transport.send(request);
      await changed;
      // Long enough for the change to arrive.
      await new Promise<void>((resolve) => void world.env.clock.after(100, resolve));
      return response;
    },
  });
  await world.startDaemons();
  const first = await world.startControllers();
  await world.untilUpdated(['master', 'worker'], 2 * MINUTE);
  await world.kube.patch(machineConfigPool, { name: 'worker' }, atOnce);
  await first.stop();
  await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
  await world.startControllers(changing);
  await world.until('nodes are sent', async () => sent >= 3, MINUTE);
  await world.env.clock.advance(4_000);
  // Those that were under way at the same time.
  expect(sent).toBe(25);
});

it('sends no node to the image of a deleted ConfigMap while the process of the operator lags', async () => {
  world = await startWorld({ masters: 1, workers: 2 });
  const operatorProcess = (lagMs: number) =>
    world.startOther(
      (parts) => control(parts, operator),
      lateWatches(world.env.clock, () => ({ configmaps: lagMs })),
    );
  const lateOperator = operatorProcess(0);
  world.startOther((parts) => control(parts, controllers));
  await world.startDaemons();
  await world.untilUpdated(['master', 'worker'], 2 * MINUTE);
  await setPaused(true);
  const before = await target(world, 'worker');
  await createOsImage({ baseOSContainerImage: 'registry.example/os@sha256:0' });
  await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
  const old = await target(world, 'worker');
  await lateOperator.stop();
  operatorProcess(20_000);
  await world.env.clock.advance(MINUTE);
  await world.kube.delete(configMap, { name: OS_IMAGE, namespace: NAMESPACE });
  await setPaused(false);
  await expectOneUpdate(old);
});

it('sends no node after a restart until the pool was rendered once', async () => {
  const old = await pausedBehindItsTarget();
  await changeOsImage();
  await setPaused(false);
  await start();
  await expectOneUpdate(old);
});

it('sends nodes to the present target once its sources are rendered without a change', async () => {
  const old = await pausedBehindItsTarget();
  await setPaused(false);
  await start();
  const begin = world.env.clock.monotonic();
  const sent = await sentUntil('20 s', async () => world.env.clock.monotonic() - begin > 20_000);
  expect(sent).toContain(old);
});
