import { beforeEach, describe, expect, it } from 'vitest';
import { anImage, pullFrom } from '../../../test/host/an-image.ts';
import { type VirtualEnv, virtualEnv } from '../../../test/support/virtual-env.ts';
import type { Host } from '../../node/host/host.ts';
import { imageOfReference, parseOstreeStatus } from '../../node/host/ostree-status.ts';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts';
import { createSandboxMachine, type PowerEvent, type SandboxMachine } from './sandbox.ts';

const OLD = 'registry.example/os:old';
const NEW = `registry.example/os@sha256:${'b'.repeat(64)}`;
const GONE = `registry.example/os@sha256:${'c'.repeat(64)}`;
const packages = (version: string, other: string) =>
  `kernel-5.14.0-${version}.x86_64\nkernel-core-5.14.0-${version}.x86_64\nglibc-2.34-1.x86_64\n${other}-1-1.x86_64\n`;
const images = {
  [OLD]: anImage({ files: { '/usr/lib/sysimage/packages': packages('1', 'jq') } }),
  [NEW]: anImage({
    digest: 'b',
    version: '9.6.2',
    files: {
      '/etc/hosts': 'new default\n',
      '/etc/added': 'x',
      '/usr/lib/new-file': 'x',
      '/usr/lib/sysimage/packages': packages('2', 'yq'),
    },
  }),
};
const bytes = (text: string) => new TextEncoder().encode(text);
const file = (text: string) => ({ bytes: bytes(text), mode: 0o644 });

let env: VirtualEnv;
let disk: MemoryDisk;
let machine: SandboxMachine;
let logLines: string[];
let events: PowerEvent[];

beforeEach(async () => {
  env = virtualEnv();
  disk = createMemoryDisk();
  logLines = [];
  events = [];
  machine = createSandboxMachine({
    disk,
    clock: env.clock,
    random: env.random,
    pullImage: pullFrom(images),
    log: (line) => logLines.push(line),
  });
  await machine.provision({ image: OLD, kernelArguments: ['rw'] });
  await machine.boot();
  machine.onPower((event) => events.push(event));
});

const wait = async <T>(promise: Promise<T>): Promise<T> => await env.clock.resolved(promise, 600_000);
const problem = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => 'nothing went wrong',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
const text = async (host: Host, path: string) => {
  const content = await host.files.read(path);
  return content === undefined ? undefined : new TextDecoder().decode(content);
};
async function reboot(): Promise<void> {
  await machine.host.reboot('for a test');
  await env.clock.advanceUntil(() => events.some(({ kind }) => kind === 'up'), 600_000);
}

it('a new machine has the home folders of its users', async () => {
  expect(await machine.host.files.list('/home')).toEqual(['core']);
  expect(await machine.host.files.stat('/home/core')).toMatchObject({
    kind: 'folder',
    mode: 0o700,
    owner: { uid: 1000, gid: 1000 },
  });
  expect(await problem(machine.host.files.write('/home/core', file('x')))).toMatch(
    /^rename \/home\/\.core\d{10} \/home\/core: file exists$/,
  );
});

describe('hostWithLog', () => {
  it('logs commands there, and not to the log of the machine', async () => {
    const own: string[] = [];
    await wait(machine.hostWithLog((line) => own.push(line)).os.rebase(NEW));
    expect(own).toContain('Staging deployment...done');
    expect(logLines).toEqual([]);
    expect((await machine.host.os.deployments())[0]).toMatchObject({ image: NEW, isStaged: true });
  });

  it('is refused a command while the daemon of the machine runs one', async () => {
    const rebase = machine.host.os.rebase(NEW);
    await env.clock.advance(1);
    const other = machine
      .hostWithLog(() => undefined)
      .os.changeKernelArguments({ append: ['a'], remove: [] });
    expect(await problem(other)).toContain('error: Transaction in progress: rebase');
    await wait(rebase);
    expect((await machine.host.os.deployments())[0]).toMatchObject({ image: NEW });
  });
});

describe('rpm-ostree status', () => {
  const diffs = async () =>
    (await machine.host.os.status()).split('\n').filter((line) => line.includes('Diff:'));

  it('sums up how the packages of a staged deployment differ from the booted ones', async () => {
    expect(await diffs()).toEqual([]);
    await wait(machine.host.os.rebase(NEW));
    expect(await machine.host.os.status()).toBe(
      [
        'State: idle',
        'Deployments:',
        `  ostree-unverified-registry:${NEW}`,
        `                   Digest: sha256:${'b'.repeat(64)}`,
        '                  Version: 9.6.2 (2026-01-02T03:04:05Z)',
        '                     Diff: 2 upgraded, 1 removed, 1 added',
        '',
        `* ostree-unverified-registry:${OLD}`,
        `                   Digest: sha256:${'a'.repeat(64)}`,
        '                  Version: 9.6.1 (2026-01-02T03:04:05Z)',
        '',
      ].join('\n'),
    );
    await reboot();
    expect(await diffs()).toEqual([]);
    events.length = 0;
    await wait(machine.host.os.rebase(OLD));
    expect(await diffs()).toEqual(['                     Diff: 2 downgraded, 1 removed, 1 added']);
  });

  it('shows no difference where only kernel arguments change', async () => {
    await wait(machine.host.os.changeKernelArguments({ remove: [], append: ['nosmt'] }));
    expect((await machine.host.os.deployments()).some(({ isStaged }) => isStaged)).toBe(true);
    expect(await diffs()).toEqual([]);
  });
});

describe('a missing image', () => {
  it('is rejected with the message of rpm-ostree, and nothing is staged', async () => {
    const args = `rpm-ostree rebase --experimental ostree-unverified-registry:${GONE}`;
    const why = `error: Creating importer: failed to invoke method OpenImage: failed to invoke method OpenImage: reading manifest sha256:${'c'.repeat(64)} in registry.example/os: manifest unknown`;
    expect(await problem(wait(machine.host.os.rebase(GONE)))).toBe(
      `error running ${args}: ${why}: exit status 1`,
    );
    expect(logLines).toEqual([
      'Running captured: rpm-ostree --version',
      'Linking rpm-ostree authfile to /var/lib/kubelet/config.json',
      `Executing rebase to ${GONE}`,
      `Running: ${args}`,
      `Pulling manifest: ostree-unverified-registry:${GONE}`,
    ]);
    expect((await machine.host.os.deployments()).map(({ isBooted }) => isBooted)).toEqual([true]);
  });
});

describe('a new OS', () => {
  it('is staged, boots at the next reboot, and keeps the old one as rollback', async () => {
    const before = machine.host;
    const bootId = await before.bootId();
    await before.files.write('/etc/local', file('mine'));
    await before.files.remove('/etc/passwd');
    await wait(before.os.rebase(NEW));
    await wait(before.os.changeKernelArguments({ remove: ['absent'], append: ['nosmt', 'a=b c'] }));
    expect(
      (await before.os.deployments()).map(({ image, isStaged, isBooted }) => [image, isStaged, isBooted]),
    ).toEqual([
      [NEW, true, false],
      [OLD, false, true],
    ]);
    expect(await text(before, '/usr/lib/new-file')).toBeUndefined();
    await reboot();
    const { host } = machine;
    expect((await host.os.deployments()).map(({ image, isBooted }) => [image, isBooted])).toEqual([
      [NEW, true],
      [OLD, false],
    ]);
    expect(await host.os.kernelArguments()).toEqual(['rw', 'nosmt', 'a=b c']);
    expect(await text(host, '/proc/cmdline')).toBe('BOOT_IMAGE=/ostree/vmlinuz rw nosmt a=b c\n');
    expect(await host.bootId()).not.toBe(bootId);
    expect(await text(host, '/usr/lib/new-file')).toBe('x');
    expect(await host.files.list('/etc')).toEqual(['added', 'group', 'hosts', 'local', 'shadow']);
    expect(await text(host, '/etc/hosts')).toBe('new default\n');
    await host.os.dropRollback();
    expect(await host.os.deployments()).toHaveLength(1);
    expect(await host.os.status()).toBe(
      `State: idle\nDeployments:\n* ostree-unverified-registry:${NEW}\n                   Digest: sha256:${'b'.repeat(64)}\n                  Version: 9.6.2 (2026-01-02T03:04:05Z)\n`,
    );
    expect(parseOstreeStatus(await machine.statusJson())).toEqual(await host.os.deployments());
    expect(await problem(before.files.list('/etc'))).toBe('the machine is down');
  });

  it('is lost in a power cut without finalization', async () => {
    await wait(machine.host.os.rebase(NEW));
    machine.cutPower();
    await machine.boot();
    expect((await machine.host.os.deployments()).map(({ image }) => image)).toEqual([OLD]);
  });

  it('boots completely or not at all, wherever the power is cut', async () => {
    await wait(machine.host.os.rebase(NEW));
    await machine.shutDown();
    let cuts = 0;
    const outcomes = new Set<string>();
    for (let call = 1; call < 5_000; call += 7) {
      disk.planCut({ call, when: call % 2 === 0 ? 'before' : 'within' });
      if ((await problem(machine.boot())) === 'nothing went wrong') break;
      cuts += 1;
      disk.planCut(undefined);
      disk.restorePower();
    }
    const [booted] = await machine.host.os.deployments();
    outcomes.add(`${booted?.image} ${await text(machine.host, '/etc/hosts')}`);
    expect([...outcomes]).toEqual([`${NEW} new default\n`]);
    expect(cuts).toBeGreaterThan(5);
  });
});

describe('units', () => {
  it('run after a boot if wanted by a target', async () => {
    expect(await machine.services()).toEqual([
      { name: 'crio.service', state: 'active', starts: 1, reloads: 0 },
    ]);
  });

  it('start their requirements', async () => {
    const { files, units } = machine.host;
    const kubelet =
      '[Unit]\nRequires=static.service none.target\nWants=absent.service\n[Service]\nExecStart=/usr/bin/kubelet\n[Install]\nWantedBy=multi-user.target\n';
    await files.write('/etc/systemd/system/kubelet.service', file(kubelet));
    await units.enable(['kubelet.service']);
    await machine.shutDown();
    await machine.boot();
    expect((await machine.services()).map(({ name }) => name)).toEqual([
      'crio.service',
      'kubelet.service',
      'static.service',
    ]);
  });

  it('are restarted and reloaded, or rejected with the message of systemctl', async () => {
    const { units } = machine.host;
    expect(await problem(units.restart('foo.service'))).toBe(
      'error running systemctl restart foo.service: Failed to restart foo.service: Unit foo.service not found.: exit status 5',
    );
    machine.faults.failingUnits.add('crio.service');
    expect(await problem(units.restart('crio.service'))).toContain(
      'Job for crio.service failed because the control process exited with error code.',
    );
    expect(await units.failed()).toEqual(['crio.service']);
    expect(await problem(units.reload('crio'))).toContain('crio.service is not active, cannot reload.');
    machine.faults.failingUnits.clear();
    await units.restart('crio');
    await units.reload('crio.service');
    expect((await machine.services())[0]).toMatchObject({ state: 'active', starts: 3, reloads: 1 });
  });

  it('are enabled, disabled and preset by symlinks', async () => {
    const { units, files } = machine.host;
    expect(await units.isEnabled('chronyd.service')).toBe('disabled');
    await units.preset('chronyd.service');
    expect(await units.isEnabled('chronyd.service')).toBe('enabled');
    expect((await files.stat('/etc/systemd/system/ntp.service'))?.target).toBe(
      '/usr/lib/systemd/system/chronyd.service',
    );
    await units.disable(['chronyd.service']);
    expect(await units.isEnabled('chronyd.service')).toBe('disabled');
    expect(await units.isEnabled('static.service')).toBe('static');
    expect(await units.isEnabled('none.service')).toBe('not-found');
    await files.link('/etc/systemd/system/crio.service', '/dev/null');
    expect(await units.isEnabled('crio.service')).toBe('masked');
    expect(await problem(units.enable(['crio.service']))).toBe(
      'error enabling units: Failed to enable unit: Unit file /etc/systemd/system/crio.service is masked.\n',
    );
  });
});

describe('the image in a status', () => {
  it.each([
    ['ostree-unverified-registry:q.io/a/b:1', 'q.io/a/b:1'],
    ['ostree-image-signed:docker://q.io/a@sha256:1', 'q.io/a@sha256:1'],
    ['ostree-unverified-image:docker://q.io/a', 'q.io/a'],
    ['ostree-unverified-image:containers-storage:q.io/a', 'q.io/a'],
    ['ostree-remote-registry:fedora:q.io/a', 'q.io/a'],
    ['ostree-remote-image:fedora:docker://q.io/a:2', 'q.io/a:2'],
  ])('of %s is %s', (reference, image) => {
    expect(imageOfReference(reference)).toBe(image);
  });
});
