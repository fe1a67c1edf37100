/** The first boot of a sandbox machine with what the machine config server serves for a pool. */
import { expect, it } from 'vitest';
import { anImage, pullFrom } from '../../../../test/host/an-image.ts';
import { virtualEnv } from '../../../../test/support/virtual-env.ts';
import { type JoinSnapshot, servedConfig } from '../../../joining/index.ts';
import { createMemoryDisk, createSandboxMachine } from '../../sandbox/index.ts';
import { bootWithIgnition } from './boot-with-ignition.ts';

const BOOT_IMAGE = 'registry.example/os:boot';
const BASE_IMAGE = 'registry.example/os:base';
const LAYERED = `registry.example/team/os@sha256:${'b'.repeat(64)}`;
const NAME = 'rendered-worker-1';

/** `isBuilt`: the image of the pool is built, and a machine runs it. */
function snapshotOf(spec: object, isBuilt: boolean): JoinSnapshot {
  const storage = { files: [{ path: '/etc/a.conf', contents: { source: 'data:,a' } }] };
  const snapshot = {
    pool: {
      metadata: { name: 'worker' },
      spec: { configuration: { name: NAME } },
      status: { configuration: { name: NAME }, updatedMachineCount: 1 },
    },
    config: {
      metadata: { name: NAME },
      spec: { ...spec, config: { ignition: { version: '3.5.0' }, storage } },
    },
    controllerConfig: { kubeAPIServerServingCAData: btoa('CA'), rootCAData: btoa('CA') },
    osConfigs: isBuilt ? [OS_CONFIG] : [],
    osBuilds: isBuilt ? [OS_BUILD] : [],
    bootstrap: { server: 'https://api.example:6443', authorityPem: 'CA', token: 'abc.def' },
  };
  // Only what is read of the objects.
  return snapshot as unknown as JoinSnapshot;
}

const OS_CONFIG = {
  metadata: { name: 'worker' },
  spec: { machineConfigPool: { name: 'worker' } },
  status: { currentImagePullSpec: LAYERED },
};

const OS_BUILD = {
  metadata: { name: 'worker-1' },
  spec: { machineOSConfig: { name: 'worker' }, machineConfig: { name: NAME } },
  status: { digestedImagePushSpec: LAYERED, conditions: [{ type: 'Succeeded', status: 'True' }] },
};

/** Returns what the machine runs once its kubelet may start, and how it came there. */
async function firstBoot(snapshot: JoinSnapshot) {
  const env = virtualEnv();
  const machine = createSandboxMachine({
    ...{ disk: createMemoryDisk(), clock: env.clock, random: env.random },
    pullImage: pullFrom({
      [BOOT_IMAGE]: anImage(),
      [BASE_IMAGE]: anImage({ digest: 'c', version: '9.6.2' }),
      [LAYERED]: anImage({ digest: 'b', version: '9.6.2', files: { '/usr/bin/tool': 'tool' } }),
    }),
    durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
  });
  const lines: string[] = [];
  const served = servedConfig(snapshot, '3.5.0');
  if (served.kind === 'invalid') throw new Error('it can be served');
  await bootWithIgnition(machine, {
    env,
    bootImage: BOOT_IMAGE,
    fetchIgnition: async () => served.value,
    report: (line) => lines.push(line),
    log: () => undefined,
  });
  await machine.resume();
  const { host } = machine;
  const text = async (path: string) => new TextDecoder().decode(await host.files.read(path));
  const booted = (await host.os.deployments()).find(({ isBooted }) => isBooted);
  env.stop();
  return { lines, booted, text, kernelArguments: await host.os.kernelArguments(), host };
}

const ANNOTATIONS = '/etc/machine-config-daemon/node-annotations.json';
const ONCE = 'reboots once, for OS image and kernel arguments';

it('a machine that joins a layered pool boots straight into the built image, with its files and annotations', async () => {
  const { booted, text, lines } = await firstBoot(snapshotOf({ osImageURL: BASE_IMAGE }, true));
  expect(booted?.image).toBe(LAYERED);
  expect(await text('/usr/bin/tool')).toBe('tool');
  expect(await text('/etc/a.conf')).toBe('a');
  expect(JSON.parse(await text(ANNOTATIONS))).toMatchObject({
    'machineconfiguration.openshift.io/currentConfig': NAME,
    'machineconfiguration.openshift.io/currentImage': LAYERED,
    'machineconfiguration.openshift.io/desiredImage': LAYERED,
  });
  expect(lines).toContain(ONCE);
});

it('a machine whose pool has another OS image and kernel arguments has both after one reboot', async () => {
  const spec = { osImageURL: BASE_IMAGE, kernelArguments: ['audit=1'] };
  const { booted, kernelArguments, lines } = await firstBoot(snapshotOf(spec, false));
  expect(booted?.image).toBe(BASE_IMAGE);
  expect(kernelArguments).toContain('audit=1');
  expect(lines).toContain(ONCE);
});

it('a machine whose pool has the OS that it booted does not reboot, and its first boot leaves nothing to do', async () => {
  const { booted, host, lines } = await firstBoot(snapshotOf({ osImageURL: BOOT_IMAGE }, false));
  expect(booted?.image).toBe(BOOT_IMAGE);
  expect(await host.files.stat('/etc/ignition-machine-config-encapsulated.json')).toBeUndefined();
  expect(lines).toContain('has the right OS image and kernel arguments: no reboot');
});
