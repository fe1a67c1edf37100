/** KubeletConfigs and ContainerRuntimeConfigs: from the applied object to the nodes, and the status of the object. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  type ContainerRuntimeConfig,
  containerRuntimeConfig as containerRuntimeConfigKind,
  type KubeletConfig,
  kubeletConfig as kubeletConfigKind,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  nodeRoleLabel,
} from '../../src/api/index.ts';
import { fileContents, parseIgnition } from '../../src/config/ignition/index.ts';
import type { World } from './build-world.ts';
import { eventsAbout, MINUTE, target } from './story-steps.ts';
import { startWorld } from './world.ts';

const API_VERSION = 'machineconfiguration.openshift.io/v1';
const POOL = 'pools.operator.machineconfiguration.openshift.io';
const KUBELET = '/etc/kubernetes/kubelet.conf';
const worker = { matchLabels: { [`${POOL}/worker`]: '' } };
const master = { matchLabels: { [`${POOL}/master`]: '' } };

let world: World;
afterEach(() => world.stop());

/** Without daemons: tests look at the target config of the pools. */
const begin = async (): Promise<void> => {
  world = await startWorld({ masters: 1, workers: 1 });
  await world.startControllers();
  await firstTargets();
};

type Spec = KubeletConfig['spec'];

async function setKubelet(name: string, kubeletConfig: object, more: Partial<Spec> = {}): Promise<void> {
  const spec = { machineConfigPoolSelector: worker, kubeletConfig, ...more };
  const object = { apiVersion: API_VERSION, kind: 'KubeletConfig', metadata: { name }, spec };
  await world.kube.apply(kubeletConfigKind, object);
  await pass();
}

async function setRuntime(
  name: string,
  containerRuntimeConfig: object,
  machineConfigPoolSelector: object = worker,
): Promise<void> {
  const spec = { machineConfigPoolSelector, containerRuntimeConfig };
  const object = { apiVersion: API_VERSION, kind: 'ContainerRuntimeConfig', metadata: { name }, spec };
  await world.kube.apply(containerRuntimeConfigKind, object);
  await pass();
}

/** Enough for a controller to have looked, and too little for a rendering. */
const pass = (ms = 1_000) => world.env.clock.advance(ms);

/** The MachineConfigs that were generated from settings. */
async function generated(): Promise<readonly string[]> {
  const { items } = await world.kube.list(machineConfigKind);
  return items
    .map(({ metadata }) => metadata.name)
    .filter((name) => /-generated-(kubelet|containerruntime)/.test(name))
    .sort();
}

/** What a file will hold on the nodes of a pool. */
async function onNodes(pool: string, path: string): Promise<string | undefined> {
  return fileOf(await target(world, pool), path);
}

async function fileOf(name: string, path: string): Promise<string | undefined> {
  const config = parseIgnition((await world.kube.get(machineConfigKind, { name }))?.spec?.config);
  if (config.kind === 'invalid') return undefined;
  const file = config.value.storage?.files?.find((one) => one.path === path);
  const bytes = file === undefined ? undefined : fileContents(file.contents);
  return bytes?.kind === 'ok' ? new TextDecoder().decode(bytes.value) : undefined;
}

type Settings = KubeletConfig | ContainerRuntimeConfig;

const kubelet = async (name: string) => needed(await world.kube.get(kubeletConfigKind, { name }));
const runtime = async (name: string) => needed(await world.kube.get(containerRuntimeConfigKind, { name }));

/** `Accepted=True Success, Success=True Success` */
const conditions = ({ status }: Settings) =>
  (status?.conditions ?? []).map(({ type, status: is, message }) => `${type}=${is} ${message}`);

/** The conditions of a rejected object. */
const failure = (message: string) => [`Accepted=False ${message}`, `Failure=True ${message}`];

function needed<T>(object: T | undefined): T {
  if (object === undefined) throw new Error('the object does not exist');
  return object;
}

async function noRollout(work: () => Promise<void>): Promise<void> {
  const before = [await target(world, 'worker'), await target(world, 'master')];
  await work();
  await pass(MINUTE);
  expect([await target(world, 'worker'), await target(world, 'master')]).toEqual(before);
}

describe('an invalid KubeletConfig', () => {
  it('is reported, and nodes keep the last valid one', async () => {
    await begin();
    await setKubelet('pods', { maxPods: 500 });
    await pass(10_000);
    await noRollout(async () => {
      await setKubelet('pods', { maxPods: 10, clusterDomain: 'x' });
      expect(conditions(await kubelet('pods'))).toEqual([
        'Accepted=True Success',
        'Accepted=False Error: KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x',
        'Failure=True Error: KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x',
      ]);
      expect((await kubelet('pods')).status?.observedGeneration).toBe(
        (await kubelet('pods')).metadata.generation,
      );
    });
    expect(await onNodes('worker', KUBELET)).toContain('maxPods: 500');
    // Other changes of the pool are not held up by it.
    await setRuntime('log', { logLevel: 'debug' });
    await world.until(
      'the log level',
      async () => (await onNodes('worker', '/etc/crio/crio.conf.d/01-ctrcfg-logLevel')) !== undefined,
      MINUTE,
    );
    expect(await onNodes('worker', KUBELET)).toContain('maxPods: 500');
    await setKubelet('pods', { maxPods: 10 });
    await world.until(
      'the mended one',
      async () => (await onNodes('worker', KUBELET))?.includes('maxPods: 10\n') === true,
      MINUTE,
    );
    expect(conditions(await kubelet('pods')).at(-1)).toBe('Success=True Success');
  });

  it('still marks its MachineConfig with this release, so that its pool can be rendered', async () => {
    await begin();
    await setKubelet('pods', { maxPods: 500 });
    await setKubelet('pods', { maxPods: 10, clusterDomain: 'x' });
    const place = { name: '99-worker-generated-kubelet' };
    const version = annotations.generatedByControllerVersion;
    const body = { metadata: { annotations: { [version]: 'another release' } } };
    await world.kube.patch(machineConfigKind, place, { type: 'merge', body });
    await pass();
    expect((await world.kube.get(machineConfigKind, place))?.metadata.annotations?.[version]).toBe('test');
    expect(await fileOf(place.name, KUBELET)).toContain('maxPods: 500');
  });

  it('gets one event with all its problems', async () => {
    await begin();
    await setKubelet('bad', { cgroupDriver: 'cgroupfs', failSwapOn: true });
    await pass(5 * MINUTE);
    const events = await eventsAbout(world, 'KubeletConfig', 'bad');
    expect(events).toMatchObject([{ type: 'Warning', reason: 'InvalidKubeletConfig', count: 1 }]);
    expect(events[0]?.message).toBe(
      'KubeletConfiguration: cgroupDriver is not allowed to be set, but contains: cgroupfs; KubeletConfiguration: failSwapOn is not allowed to be set, but contains: true',
    );
    expect(await generated()).toEqual([]);
    expect((await kubelet('bad')).metadata.finalizers).toBeUndefined();
  });

  it.each<[string, object, string]>([
    [
      'a selector that matches nothing',
      { machineConfigPoolSelector: { matchLabels: { no: 'pool' } } },
      'Error: could not find any MachineConfigPool set for KubeletConfig',
    ],
    [
      'an empty selector',
      { machineConfigPoolSelector: {} },
      'Error: could not find any MachineConfigPool set for KubeletConfig',
    ],
    [
      'static pods on the control plane',
      { machineConfigPoolSelector: master, kubeletConfig: { staticPodPath: '' } },
      'Error: KubeletConfiguration: staticPodPath is not allowed to be set for control plane pool "master"',
    ],
  ])('is reported: %s', async (_, spec, message) => {
    await begin();
    await setKubelet('a', { maxPods: 1 }, spec);
    expect(conditions(await kubelet('a'))).toEqual(failure(message));
  });

  it('that exceeds the size of a MachineConfig is reported', async () => {
    await begin();
    await setKubelet('huge', { resolvConf: `/etc/${'x'.repeat(1_250_000)}` });
    expect((await kubelet('huge')).status?.conditions?.at(-1)).toMatchObject({
      type: 'Failure',
      message: expect.stringMatching(
        /^could not Create\/Update MachineConfig: it would take 1\d{6} bytes, and no MachineConfig can hold more than 1572864$/,
      ),
    });
    expect(await generated()).toEqual([]);
  });

  it('that is the eleventh is refused until the last of the ten is gone', async () => {
    await begin();
    for (let index = 0; index < 11; index++) {
      await setKubelet(`k${index}`, { maxPods: 100 + index });
    }
    const tooMany =
      'could not get kubelet config key: max number of supported kubelet config (10) has been reached. Please delete old kubelet configs before retrying';
    expect(conditions(await kubelet('k10'))).toEqual(failure(tooMany));
    expect(await generated()).toEqual([
      '99-worker-generated-kubelet',
      ...Array.from({ length: 9 }, (_, index) => `99-worker-generated-kubelet-${index + 1}`),
    ]);
    await pass(10_000);
    expect(await onNodes('worker', KUBELET)).toContain('maxPods: 109');
    await world.kube.delete(kubeletConfigKind, { name: 'k9' });
    await pass(10_000);
    expect(conditions(await kubelet('k10')).at(-1)).toBe('Success=True Success');
    expect((await kubelet('k10')).metadata.annotations?.[annotations.mcNameSuffix]).toBe('9');
    expect(await onNodes('worker', KUBELET)).toContain('maxPods: 110');
  });
});

describe('a KubeletConfig', () => {
  it('reaches the nodes of its pools, and is reverted when it is deleted', async () => {
    await begin();
    const before = await target(world, 'worker');
    const tls = { type: 'Modern' } as const;
    await setKubelet(
      'one',
      { maxPods: 500 },
      { logLevel: 4, autoSizingReserved: true, tlsSecurityProfile: tls },
    );
    expect(conditions(await kubelet('one'))).toEqual(['Accepted=True Success', 'Success=True Success']);
    const { metadata } = await kubelet('one');
    expect(metadata.finalizers).toEqual(['99-worker-generated-kubelet']);
    expect(metadata.annotations).toMatchObject({ [annotations.mcNameSuffix]: '' });
    const made = await world.kube.get(machineConfigKind, { name: '99-worker-generated-kubelet' });
    expect(made?.metadata).toMatchObject({
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      annotations: { [annotations.generatedByControllerVersion]: 'test' },
      ownerReferences: [{ kind: 'KubeletConfig', name: 'one', uid: metadata.uid, controller: true }],
    });
    await pass(10_000);
    expect(await target(world, 'worker')).not.toBe(before);
    const conf = await onNodes('worker', KUBELET);
    expect(conf).toContain('maxPods: 500');
    expect(conf).toContain('tlsMinVersion: VersionTLS13');
    expect(conf).toContain('cgroupDriver: systemd');
    expect(await onNodes('worker', '/etc/node-sizing-enabled.env')).toContain('NODE_SIZING_ENABLED=true');
    expect(await onNodes('worker', '/etc/systemd/system/kubelet.service.d/20-logging.conf')).toContain(
      'LEVEL=4',
    );
    await world.kube.delete(kubeletConfigKind, { name: 'one' });
    await pass(10_000);
    expect(await world.kube.get(kubeletConfigKind, { name: 'one' })).toBeUndefined();
    expect(await generated()).toEqual([]);
    expect(await target(world, 'worker')).toBe(before);
  });

  it('keeps fields of other writers', async () => {
    await begin();
    const metadata = { name: 'one', annotations: { note: 'mine' }, finalizers: ['example.com/wait'] };
    await world.kube.create(kubeletConfigKind, {
      ...{ apiVersion: API_VERSION, kind: 'KubeletConfig', metadata },
      spec: { machineConfigPoolSelector: worker },
    });
    await pass();
    const { metadata: after } = await kubelet('one');
    expect(after.annotations).toEqual({ note: 'mine', [annotations.mcNameSuffix]: '' });
    expect(after.finalizers).toEqual(['example.com/wait', '99-worker-generated-kubelet']);
    await world.kube.delete(kubeletConfigKind, { name: 'one' });
    await pass();
    expect(await generated()).toEqual([]);
    expect((await kubelet('one')).metadata.finalizers).toEqual(['example.com/wait']);
  });

  it('that is overridden by another gets a warning', async () => {
    await begin();
    await setKubelet('first', { maxPods: 300, podsPerCore: 7 });
    await setKubelet('second', { maxPods: 400 });
    expect(await generated()).toEqual(['99-worker-generated-kubelet', '99-worker-generated-kubelet-1']);
    await pass(10_000);
    const conf = await onNodes('worker', KUBELET);
    expect(conf).toContain('maxPods: 400');
    expect(conf).not.toContain('podsPerCore');
    expect(await eventsAbout(world, 'KubeletConfig', 'first')).toMatchObject([
      {
        reason: 'NoEffect',
        message: expect.stringMatching(/^Pool worker takes its kubelet\.conf from KubeletConfig second/),
      },
    ]);
    expect(await eventsAbout(world, 'KubeletConfig', 'second')).toEqual([]);
    await world.kube.delete(kubeletConfigKind, { name: 'second' });
    await pass(10_000);
    expect(await onNodes('worker', KUBELET)).toContain('podsPerCore: 7');
  });

  it('that has no effect gets the warning again after a while, and when it is recreated', async () => {
    await begin();
    await setKubelet('one', { maxPod: 300 });
    const reasons = async () =>
      (await eventsAbout(world, 'KubeletConfig', 'one')).map(({ reason }) => reason);
    expect(await reasons()).toEqual(['NoEffect']);
    await world.kube.delete(kubeletConfigKind, { name: 'one' });
    await pass();
    await setKubelet('one', { maxPod: 300 });
    expect(await reasons()).toEqual(['NoEffect', 'NoEffect']);
    await pass(31 * MINUTE);
    expect(await reasons()).toHaveLength(3);
  });

  it('moves its MachineConfig when its selector changes', async () => {
    await begin();
    await setKubelet('one', { maxPods: 500 });
    await setKubelet('one', { maxPods: 500 }, { machineConfigPoolSelector: master });
    expect(await generated()).toEqual(['99-master-generated-kubelet']);
    expect((await kubelet('one')).metadata.finalizers).toEqual(['99-master-generated-kubelet']);
    // One that selects nothing keeps what it had: a typing mistake must not take settings from nodes.
    await setKubelet('one', { maxPods: 500 }, { machineConfigPoolSelector: { matchLabels: { no: 'pool' } } });
    expect(await generated()).toEqual(['99-master-generated-kubelet']);
    expect(conditions(await kubelet('one')).at(-1)).toBe(
      'Failure=True Error: could not find any MachineConfigPool set for KubeletConfig',
    );
  });

  it('waits for its pool, and is merged with the base of workers in a custom pool', async () => {
    await begin();
    const infra = { matchLabels: { custom: 'infra' } };
    await setKubelet('one', { maxPods: 77 }, { machineConfigPoolSelector: infra });
    expect(conditions(await kubelet('one'))).toEqual(
      failure('Error: could not find any MachineConfigPool set for KubeletConfig'),
    );
    const role = 'machineconfiguration.openshift.io/role';
    await world.kube.create(machineConfigPoolKind, {
      ...{ apiVersion: API_VERSION, kind: 'MachineConfigPool' },
      metadata: { name: 'infra', labels: { custom: 'infra' } },
      spec: {
        machineConfigSelector: {
          matchExpressions: [{ key: role, operator: 'In', values: ['worker', 'infra'] }],
        },
        nodeSelector: { matchLabels: { [nodeRoleLabel('infra')]: '' } },
      },
    });
    await pass(10_000);
    expect(await generated()).toEqual(['99-infra-generated-kubelet']);
    expect(await onNodes('infra', KUBELET)).toContain('maxPods: 77');
    expect(await onNodes('infra', KUBELET)).toContain('system-reserved-compressible');
  });

  it('restores MachineConfigs that are modified or deleted', async () => {
    await begin();
    await setKubelet('one', { maxPods: 500 });
    const place = { name: '99-worker-generated-kubelet' };
    await world.kube.patch(machineConfigKind, place, {
      type: 'merge',
      body: { spec: { config: null }, metadata: { labels: { mine: 'x' } } },
    });
    await pass();
    expect(await fileOf(place.name, KUBELET)).toContain('maxPods: 500');
    expect((await world.kube.get(machineConfigKind, place))?.metadata.labels).toMatchObject({ mine: 'x' });
    await world.kube.delete(machineConfigKind, place);
    await pass();
    expect(await fileOf(place.name, KUBELET)).toContain('maxPods: 500');
  });

  it('that was copied with suffix and finalizers gets its own, and deletes nothing of the other', async () => {
    await begin();
    await setKubelet('one', { maxPods: 500 });
    const { metadata, spec } = await kubelet('one');
    const copy = {
      name: 'two',
      annotations: metadata.annotations ?? {},
      finalizers: metadata.finalizers ?? [],
    };
    await pass(2_000);
    await world.kube.create(kubeletConfigKind, {
      apiVersion: API_VERSION,
      kind: 'KubeletConfig',
      metadata: copy,
      spec,
    });
    await pass();
    expect((await kubelet('two')).metadata.finalizers).toEqual(['99-worker-generated-kubelet-1']);
    await world.kube.delete(kubeletConfigKind, { name: 'two' });
    await pass();
    expect(await generated()).toEqual(['99-worker-generated-kubelet']);
  });

  it('that was created or deleted while no controller ran is reconciled by the next one', async () => {
    world = await startWorld({ masters: 1, workers: 1 });
    const first = await world.startControllers();
    await firstTargets();
    await setKubelet('one', { maxPods: 500 });
    await first.stop();
    await setKubelet('two', { maxPods: 600 });
    await world.kube.delete(kubeletConfigKind, { name: 'one' });
    await pass();
    expect(await generated()).toEqual(['99-worker-generated-kubelet']);
    await world.startControllers();
    await pass(10_000);
    expect(await generated()).toHaveLength(1);
    expect(await world.kube.get(kubeletConfigKind, { name: 'one' })).toBeUndefined();
    expect(await onNodes('worker', KUBELET)).toContain('maxPods: 600');
  });

  it('whose names are too long for finalizers is reported and generates nothing', async () => {
    await begin();
    const name = `pool-${'x'.repeat(50)}`;
    await world.kube.create(machineConfigPoolKind, {
      ...{ apiVersion: API_VERSION, kind: 'MachineConfigPool', metadata: { name, labels: { long: 'yes' } } },
      spec: {
        machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
        nodeSelector: { matchLabels: { [nodeRoleLabel('long')]: '' } },
      },
    });
    await setKubelet('one', { maxPods: 5 }, { machineConfigPoolSelector: { matchLabels: { long: 'yes' } } });
    expect(conditions(await kubelet('one')).at(-1)).toMatch(
      /^Failure=True could not add finalizers to KubeletConfig: /,
    );
    expect(await generated()).toEqual([]);
  });
});

describe('a ContainerRuntimeConfig', () => {
  it.each<[string, object, string]>([
    ['too few processes', { pidsLimit: 5 }, 'Error: invalid PidsLimit 5'],
    [
      'a level that is none',
      { logLevel: 'loud' },
      'Error: invalid LogLevel "loud", must be one of error, fatal, panic, warn, info, debug, or trace',
    ],
    ['a negative layer', { overlaySize: '-1Gi' }, 'Error: invalid overlaySize "-1Gi", cannot be less than 0'],
    ['a small log', { logSizeMax: '8k' }, 'Error: invalid LogSizeMax "8k", cannot be less than 8kB'],
  ])('with %s is refused, and the last good one stays', async (_, settings, message) => {
    await begin();
    await setRuntime('one', { pidsLimit: 4096 });
    await pass(10_000);
    await noRollout(async () => {
      await setRuntime('one', { ...settings });
      expect(conditions(await runtime('one'))).toEqual(['Success=True Success', `Failure=True ${message}`]);
    });
    expect(await onNodes('worker', '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit')).toContain(
      'pids_limit = 4096',
    );
  });

  it('without a pool is reported by name', async () => {
    await begin();
    await setRuntime('lost', { pidsLimit: 4096 }, {});
    expect(conditions(await runtime('lost'))).toEqual([
      'Failure=True Error: could not find any MachineConfigPool set for ContainerRuntimeConfig lost',
    ]);
  });

  it('that is the eleventh is refused', async () => {
    await begin();
    for (let index = 0; index < 11; index++) await setRuntime(`c${index}`, { pidsLimit: 100 + index });
    expect(conditions(await runtime('c10'))).toEqual([
      'Failure=True could not get ctrcfg key: max number of supported ctrcfgs (10) has been reached. Please delete old ctrcfgs before retrying',
    ]);
  });

  it('is merged with others; of two that set the same the later one wins, and the other gets a warning', async () => {
    await begin();
    await setRuntime('first', { pidsLimit: 1000, overlaySize: '8Gi' });
    await setRuntime('second', { logLevel: 'debug', additionalImageStores: [{ path: '/images' }] });
    await setRuntime('third', { pidsLimit: 2000 });
    await pass(10_000);
    const dropIn = (name: string) => onNodes('worker', `/etc/crio/crio.conf.d/01-ctrcfg-${name}`);
    expect(await dropIn('pidsLimit')).toBe('[crio.runtime]\npids_limit = 2000\n');
    expect(await dropIn('logLevel')).toBe('[crio.runtime]\nlog_level = "debug"\n');
    const storage = await onNodes('worker', '/etc/containers/storage.conf');
    expect(storage).toContain('size = "8Gi"');
    expect(storage).toContain('"/images"');
    expect(
      (await eventsAbout(world, 'ContainerRuntimeConfig', 'first')).map(({ message }) => message),
    ).toEqual([
      'Pool worker takes pidsLimit from ContainerRuntimeConfig third, which comes later: the value of this one has no effect there',
    ]);
    expect(await eventsAbout(world, 'ContainerRuntimeConfig', 'third')).toEqual([]);
    for (const name of ['first', 'second', 'third'])
      await world.kube.delete(containerRuntimeConfigKind, { name });
    await pass(10_000);
    expect(await generated()).toEqual([]);
    expect(await dropIn('pidsLimit')).toBeUndefined();
  });
});

it('new pools wait for existing settings, so that nodes are updated once', async () => {
  world = await startWorld({ masters: 1, workers: 1 });
  await setKubelet('one', { maxPods: 500 });
  await setRuntime('two', { pidsLimit: 4096 });
  await world.startControllers();
  await firstTargets();
  const { items } = await world.kube.list(machineConfigKind);
  expect(items.filter(({ metadata }) => metadata.name.startsWith('rendered-worker-'))).toHaveLength(1);
  expect(await onNodes('worker', KUBELET)).toContain('maxPods: 500');
});

async function firstTargets(): Promise<void> {
  const isThere = async () =>
    (await world.pools()).length === 2 &&
    (await target(world, 'worker')) !== '' &&
    (await target(world, 'master')) !== '';
  await world.until('the first targets', isThere, MINUTE);
  await pass(10_000);
}
