/** An OS image from the files of the package, through our registry, onto a sandbox machine. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../src/embedded/registry/index.ts';
import { readImageFolder } from '../../src/embedded/sandbox/image-folder-node.ts';
import {
  buildOsImage,
  createMemoryDisk,
  createOsPuller,
  createSandboxMachine,
  type SandboxMachine,
} from '../../src/embedded/sandbox/index.ts';
import { createRegistryClient, parseImageReference, pushImage } from '../../src/images/index.ts';
import { packageRoot } from '../cli/run-cli.ts';
import { virtualEnv } from '../support/virtual-env.ts';

const HOST = 'registry.example:5000';
const AMD64 = { os: 'linux', architecture: 'amd64' };

let env: ReturnType<typeof virtualEnv>;
let machine: SandboxMachine;
let logLines: string[];
beforeEach(async () => {
  env = virtualEnv();
  logLines = [];
  const { handle } = createRegistry({ store: createMemoryRegistryStore(), env });
  const transport = createInProcessRegistryTransport(new Map([[HOST, handle]]));
  const client = createRegistryClient({ transport, env, isPlainHttp: () => true });
  const folder = await readImageFolder(`${packageRoot}/images/base-os`);
  const yq = { kind: 'file', content: new TextEncoder().encode('#!/bin/sh\n'), mode: 0o755 } as const;
  const next = { version: '1.20260201.0', files: new Map([['usr/bin/yq', yq]]) };
  for (const [tag, variation] of [['v1', {}] as const, ['v2', next] as const]) {
    const reference = parseImageReference(`${HOST}/os:${tag}`);
    if (reference.kind === 'invalid') throw new Error('it is a reference');
    await pushImage(client, reference.value, buildOsImage(folder, variation));
  }
  machine = createSandboxMachine({
    disk: createMemoryDisk(),
    clock: env.clock,
    random: env.random,
    pullImage: createOsPuller(async () => client, AMD64),
    durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
    log: (line) => logLines.push(line),
  });
  await machine.provision({ image: `${HOST}/os:v1` });
  await machine.boot();
});
afterEach(() => env.stop());

it('a machine boots from the base image and is rebased to the next', async () => {
  const { os } = machine.host;
  expect(await os.release()).toMatchObject({
    isImageBased: true,
    version: expect.stringContaining('1.20260101'),
  });
  expect(await os.installed(['kernel', 'cri-o', 'usbguard'])).toEqual(['kernel', 'cri-o']);
  expect(await machine.host.units.isEnabled('sshd.service')).toBe('enabled');
  expect(await machine.host.files.read('/usr/bin/yq')).toBeUndefined();
  await os.rebase(`${HOST}/os:v2`);
  expect(await os.status()).toMatch(
    /State: idle\nDeployments:\n {2}ostree-unverified-registry:registry\.example:5000\/os:v2\n +Digest: sha256:[0-9a-f]{64}\n +Version: 1\.20260201\.0 \(.*\)\n\n[*●] ostree-unverified-registry:registry\.example:5000\/os:v1\n/,
  );
  await machine.host.reboot('to the next image');
  await env.clock.advance(1_000);
  expect((await machine.host.os.deployments()).find(({ isBooted }) => isBooted)).toMatchObject({
    image: `${HOST}/os:v2`,
    version: '1.20260201.0',
  });
  expect((await machine.host.files.stat('/usr/bin/yq'))?.mode).toBe(0o755);
});

it('a missing image fails with the message of the registry', async () => {
  const command = `rpm-ostree rebase --experimental ostree-unverified-registry:${HOST}/os:v3`;
  await expect(machine.host.os.rebase(`${HOST}/os:v3`)).rejects.toThrow(
    `error running ${command}: error: Creating importer: failed to invoke method OpenImage: failed to invoke method OpenImage: reading manifest v3 in ${HOST}/os: manifest unknown`,
  );
});
