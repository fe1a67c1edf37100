/** The base `none`: nodes get what is declared, and nothing else. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  containerRuntimeConfig,
  controllerConfig,
  imageTagMirrorSet,
  kubeletConfig,
  type MachineConfig,
  machineConfig,
  NAMESPACE,
} from '../../src/api/index.ts';
import { fileContents, parseIgnition } from '../../src/config/ignition/index.ts';
import { configMap, secret } from '../../src/kubernetes/types/index.ts';
import { anItms } from '../support/build-registries.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { eventsAbout, firstConfig, HOUR, MINUTE, target } from './story-steps.ts';
import { type ControllerOptions, type Running, startWorld } from './world.ts';

const NONE: ControllerOptions = { settings: { base: 'none' } };
const OS_IMAGE = `registry.example/os@sha256:${'a'.repeat(64)}`;
const API_VERSION = 'machineconfiguration.openshift.io/v1';
const WORKERS = {
  machineConfigPoolSelector: {
    matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' },
  },
};

let world: World;
let controllers: Running;
afterEach(() => world.stop());

const begin = async (options?: ControllerOptions) => {
  world = await startWorld({ masters: 1, workers: 2 });
  controllers = await world.startControllers(undefined, options);
  await world.startDaemons();
  await firstConfig(world);
};
const sources = async () =>
  (await world.kube.list(machineConfig)).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => !name.startsWith('rendered-'));
const filesOf = (config: MachineConfig | undefined): { readonly [path: string]: string } => {
  const parsed = parseIgnition(config?.spec?.config);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  const files = (parsed.value.storage?.files ?? []).map(({ path, contents }) => {
    const bytes = fileContents(contents);
    return [path, bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : ''];
  });
  return Object.fromEntries(files);
};
const rendered = async (pool: string) =>
  filesOf(await world.kube.get(machineConfig, { name: await target(world, pool) }));
const untilRendered = (path: string, isThere: boolean) =>
  world.until(path, async () => path in (await rendered('worker')) === isThere, MINUTE);

describe('the base none', () => {
  it('has no generated MachineConfigs, and the rendered configs of all pools are empty', async () => {
    await begin(NONE);
    expect(await sources()).toEqual([]);
    expect([await rendered('master'), await rendered('worker')]).toEqual([{}, {}]);
    await world.kube.create(secret, {
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson' },
      metadata: { name: 'pull-secret', namespace: 'openshift-config' },
      data: { '.dockerconfigjson': btoa('{"auths":{}}') },
    });
    await world.env.clock.advance(HOUR);
    expect(await sources()).toEqual([]);
    expect([await rendered('master'), await rendered('worker')]).toEqual([{}, {}]);
    // Nor do kubeconfigs of nodes follow the CA of the API server: kubelets have their own.
    const found = await world.kube.get(controllerConfig, { name: 'machine-config-controller' });
    expect(found?.metadata.annotations?.[annotations.serviceCaRotate]).toBe('false');
  });

  it('renders an OS image only where a MachineConfig declares it, not that of the ConfigMap for all pools', async () => {
    await begin(NONE);
    const empty = await target(world, 'worker');
    const imageOf = async (pool: string) =>
      (await world.kube.get(machineConfig, { name: await target(world, pool) }))?.spec?.osImageURL;
    // Its release is another one, too: that is no reason to refuse what does not use it.
    await world.kube.create(configMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'machine-config-osimageurl', namespace: NAMESPACE },
      data: { releaseVersion: '9.9.9', osImageURL: OS_IMAGE, baseOSContainerImage: OS_IMAGE },
    });
    await world.kube.create(machineConfig, aMachineConfig('50-late', 'worker', 'x'));
    await untilRendered('/etc/50-late', true);
    expect([await imageOf('worker'), await imageOf('master')]).toEqual(['', '']);
    expect(await target(world, 'worker')).not.toBe(empty);
    const declared = aMachineConfig('60-os', 'worker', 'x');
    await world.kube.create(machineConfig, { ...declared, spec: { ...declared.spec, osImageURL: OS_IMAGE } });
    await world.until('the OS image', async () => (await imageOf('worker')) === OS_IMAGE, MINUTE);
    expect(await imageOf('master')).toBe('');
  });

  it('adds the registries of a mirror set while there is one, with short names as Kubernetes reads them', async () => {
    await begin(NONE);
    const empty = await target(world, 'worker');
    await world.kube.create(
      imageTagMirrorSet,
      anItms('hub', { source: 'a.example', mirrors: ['m.example'] }),
    );
    await untilRendered('/etc/containers/registries.conf', true);
    expect(Object.keys(await rendered('worker'))).toEqual(['/etc/containers/registries.conf']);
    const conf = (await rendered('worker'))['/etc/containers/registries.conf'];
    expect(conf).toContain('unqualified-search-registries = ["docker.io"]');
    expect(conf).toContain('location = "m.example"');
    expect(await sources()).toEqual(['99-master-generated-registries', '99-worker-generated-registries']);
    await world.kube.delete(imageTagMirrorSet, { name: 'hub' });
    await untilRendered('/etc/containers/registries.conf', false);
    expect([await sources(), await target(world, 'worker')]).toEqual([[], empty]);
  });

  it('merges a ContainerRuntimeConfig with a complete storage.conf of its own', async () => {
    await begin(NONE);
    await world.kube.create(containerRuntimeConfig, {
      apiVersion: API_VERSION,
      kind: 'ContainerRuntimeConfig',
      metadata: { name: 'sizes' },
      spec: { ...WORKERS, containerRuntimeConfig: { overlaySize: '8G', pidsLimit: 4096 } },
    });
    await untilRendered('/etc/containers/storage.conf', true);
    expect(await rendered('worker')).toEqual({
      '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': '[crio.runtime]\npids_limit = 4096\n',
      '/etc/containers/storage.conf':
        '[storage]\ndriver = "overlay"\nrunroot = "/run/containers/storage"\ngraphroot = "/var/lib/containers/storage"\n\n[storage.options]\nsize = "8G"\n',
    });
  });

  it('gives every KubeletConfig a drop-in, and names the field that a later one overrides', async () => {
    await begin(NONE);
    const create = (name: string, fields: { readonly [field: string]: number }) =>
      world.kube.create(kubeletConfig, {
        apiVersion: API_VERSION,
        kind: 'KubeletConfig',
        metadata: { name },
        spec: { ...WORKERS, kubeletConfig: fields },
      });
    // The later one by name comes first: its MachineConfig has the lower number.
    await create('b-later', { maxPods: 2 });
    await untilRendered('/etc/kubernetes/kubelet.conf.d/b-later.conf', true);
    await create('a-earlier', { maxPods: 1, podPidsLimit: 9 });
    await untilRendered('/etc/kubernetes/kubelet.conf.d/a-earlier.conf', true);
    const warnings = async (name: string) =>
      (await eventsAbout(world, 'KubeletConfig', name)).map(({ reason, message }) => [reason, message]);
    expect([await warnings('b-later'), await warnings('a-earlier')]).toEqual([
      [],
      [
        [
          'NoEffect',
          'Pool worker takes maxPods from KubeletConfig b-later, which comes later: the value of this one has no effect there',
        ],
      ],
    ]);
    const status = (await world.kube.get(kubeletConfig, { name: 'a-earlier' }))?.status?.conditions;
    expect(status?.at(-1)).toMatchObject({ type: 'Success', status: 'True' });
  });

  it('removes the base configs of an earlier base, but not the SSH keys of users', async () => {
    await begin();
    await world.apply(aMachineConfig('50-worker', 'worker', 'declared'));
    await untilRendered('/etc/50-worker', true);
    expect(Object.keys(await rendered('worker'))).toContain('/etc/kubernetes/kubelet.conf');
    await controllers.stop();
    await world.startControllers(undefined, NONE);
    await untilRendered('/etc/kubernetes/kubelet.conf', false);
    expect(await rendered('worker')).toEqual({ '/etc/50-worker': 'declared' });
    expect(await sources()).toEqual(['50-worker', '99-master-ssh', '99-worker-ssh']);
    await world.untilUpdated(['master', 'worker'], HOUR);
  });
});
