/**
 * Failed updates leave the machine unchanged: files that were not written stay, and overwritten ones are restored.
 */
import { describe, expect, it } from 'vitest';
import { aConfig, aUnit } from './a-config.ts';
import { createDaemonNode, type DaemonNode, OLD_OS, osImages, REFUSED_OS } from './daemon-node.ts';
import { type Cut, runUpdate, type UpdateCase } from './power-cuts.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE = 60_000;
const KEYS = '/home/core/.ssh/authorized_keys.d/ignition';
const POOL_KEY = 'ssh-ed25519 AAAA pool';
const NO_WRITES = { code: 'EROFS', calls: ['create', 'unlink', 'rename'] } as const;

describe('a path that cannot be written', () => {
  it('lets the node return to the config without it', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const path = '/usr/lib/systemd/system/chronyd.service';
    const before = await node.text(path);
    node.disk.addFault({ path: '/rootfs/usr/lib/systemd/system', ...NO_WRITES });
    await joined.sendTo('bad', { files: { '/etc/a': 'two', [path]: 'x' } });
    await untilDegraded(joined, /^open \S+: read-only file system$/);
    expect(await node.text('/etc/a')).toBe('one');
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 5 * MINUTE);
    expect(await node.text(path)).toBe(before);
  });

  it('keeps a file that was there before', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    await node.write('/etc/fixed/file', 'manual');
    node.disk.addFault({ path: '/rootfs/etc/fixed', ...NO_WRITES });
    await joined.sendTo('bad', { files: { '/etc/a': 'two', '/etc/fixed/file': 'x', '/etc/fixed/new': 'x' } });
    await untilDegraded(joined, /read-only file system$/);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 5 * MINUTE);
    expect(await node.text('/etc/fixed/file')).toBe('manual');
  });

  it('does not block a node whose old config has the same file', async () => {
    const joined = await join({ files: { '/etc/a': 'one', '/etc/fixed/file': 'one' } });
    const { node, first } = joined;
    node.disk.addFault({ path: '/rootfs/etc/fixed', ...NO_WRITES });
    await joined.sendTo('bad', { files: { '/etc/a': 'two', '/etc/fixed/file': 'two' } });
    await untilDegraded(joined, /^open \S+: read-only file system$/);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 5 * MINUTE);
    expect(await node.text('/etc/a')).toBe('one');
  });
});

describe('a file that a failed update did not reach', () => {
  it('stays, also where it belongs to the OS', async () => {
    const joined = await join();
    const { node, first } = joined;
    await node.write('/etc/by-hand', 'manual');
    node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    const files = { '/etc/blocked': 'no', '/etc/by-hand': 'ours', '/etc/chrony.conf': 'ours' };
    await joined.sendTo('bad', { files });
    await untilDegraded(joined, /file exists$/);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 5 * MINUTE);
    expect(await node.text('/etc/chrony.conf')).toBe('pool default\n');
    expect(await node.text('/etc/by-hand')).toBe('manual');
  });
});

const core = async ({ machine }: DaemonNode) => {
  const owner = await machine.host.accounts.user('core');
  if (owner === undefined) throw new Error('there is no user core');
  return owner;
};

async function installKeys(node: DaemonNode, keys: string): Promise<void> {
  const { files } = node.machine.host;
  const owner = await core(node);
  await files.makeFolder('/home/core/.ssh/authorized_keys.d', { mode: 0o700, owner });
  await files.write(KEYS, { bytes: new TextEncoder().encode(keys), mode: 0o600, owner });
}

describe('SSH keys of the installation', () => {
  const adopted = async (name: string, keys: string | undefined) => {
    const cluster = stories.cluster();
    // It is refused once it is staged, after the keys were written.
    await cluster.addConfig(aConfig(`rendered-${name}`, { sshKeys: [POOL_KEY], osImage: REFUSED_OS }));
    await cluster.addNode(name);
    const node = await createDaemonNode({
      ...cluster,
      name,
      images: osImages(),
      image: OLD_OS,
    });
    if (keys !== undefined) await installKeys(node, keys);
    node.startDaemon();
    await pass(MINUTE);
    await cluster.send(name, `rendered-${name}`);
    await cluster.until(
      'it is degraded',
      async () => (await cluster.annotation(name, 'state')) === 'Degraded',
    );
    node.stopDaemon();
    expect(node.lines.some((line) => line.includes('Wrote SSH keys'))).toBe(true);
    return node;
  };

  it.each([
    ['others', 'ssh-rsa INSTALLED\n'],
    ['the same', `${POOL_KEY}\n`],
  ])('are restored after a failed update (%s)', async (what, keys) => {
    const node = await adopted(`adopted-${what.replace(' ', '-')}`, keys);
    expect(await node.text(KEYS)).toBe(keys);
    expect((await node.machine.host.files.stat(KEYS))?.mode).toBe(0o600);
  });

  it('are not read through a link of the user', async () => {
    const joined = await join();
    const { node, first } = joined;
    const { files } = node.machine.host;
    await files.makeFolder('/home/core/.ssh', { mode: 0o700, owner: await core(node) });
    await node.write('/etc/elsewhere/ignition', 'of root', 0o600);
    await files.link('/home/core/.ssh/authorized_keys.d', '/etc/elsewhere');
    await joined.sendTo('bad', { sshKeys: [POOL_KEY], osImage: REFUSED_OS });
    await untilDegraded(joined, /refusing OS image/);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 5 * MINUTE);
    expect(await node.text('/etc/elsewhere/ignition')).toBe('of root');
    expect((await files.stat('/home/core/.ssh/authorized_keys.d'))?.kind).not.toBe('link');
    expect(await node.text(KEYS)).toBe(undefined);
  });

  it('are not created where there were none', async () => {
    const node = await adopted('adopted-without', undefined);
    expect(await node.text(KEYS)).toBe(undefined);
  });
});

describe('a unit that was masked', () => {
  const UNIT = 'chronyd.service';
  it('can be enabled by the next config', async () => {
    const joined = await join({ units: [{ name: UNIT, mask: true }] });
    const { node } = joined;
    expect(await node.machine.host.units.isEnabled(UNIT)).toBe('masked');
    const next = await joined.sendTo('next', { units: [{ name: UNIT, enabled: true }] });
    await stories.cluster().untilDone(node.name, next, 10 * MINUTE);
    expect(await node.machine.host.units.isEnabled(UNIT)).toBe('enabled');
  });

  it('by an update that failed is enabled again', async () => {
    const joined = await join({ units: [{ name: UNIT, enabled: true }] });
    const { node, first } = joined;
    await joined.sendTo('bad', { units: [{ name: UNIT, mask: true }], osImage: REFUSED_OS });
    await untilDegraded(joined, /refusing OS image/);
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first, 10 * MINUTE);
    expect(await node.machine.host.units.isEnabled(UNIT)).toBe('enabled');
  });

  it('follows its preset once no config contains it', async () => {
    const joined = await join({ units: [{ name: UNIT, mask: true }, aUnit('a.service', 'x')] });
    const { node } = joined;
    const next = await joined.sendTo('next', {});
    await stories.cluster().untilDone(node.name, next, 10 * MINUTE);
    expect(await node.machine.host.units.isEnabled(UNIT)).toBe('enabled');
  });
});

describe('a file that is named like a temporary one', () => {
  it('stays where a config contains it', async () => {
    const files = { '/etc/a': 'one', '/etc/.a1234567890': 'two', '/etc/b': 'one' };
    const { node, first } = await join({ files });
    await node.write('/etc/.b1234567890', 'a leftover');
    node.restartDaemon();
    await pass(3 * MINUTE);
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text('/etc/.a1234567890')).toBe('two');
    expect(await node.text('/etc/.b1234567890')).toBe(undefined);
  });
});

const isEvery = process.env.MILLWRIGHT_EVERY_CUT === '1';
const CUTS = 24;

const FAILING: UpdateCase = {
  name: 'an update that fails',
  from: aConfig('rendered-undo-old', { files: { '/etc/a': 'one' }, units: [{ name: 'chronyd.service' }] }),
  to: aConfig('rendered-undo-new', {
    files: { '/etc/a': 'two', '/etc/by-hand': 'ours', '/etc/new': 'ours', '/etc/chrony.conf': 'ours' },
    units: [{ name: 'chronyd.service', mask: true }],
    sshKeys: [POOL_KEY],
    osImage: REFUSED_OS,
  }),
  isFailing: true,
  async prepare(node) {
    await node.write('/etc/by-hand', 'manual');
    await node.write('/etc/chrony.conf', 'changed by hand');
    await installKeys(node, 'ssh-rsa INSTALLED\n');
  },
  async judge(node) {
    const wanted: readonly [string, string | undefined][] = [
      ['/etc/by-hand', 'manual'],
      ['/etc/chrony.conf', 'changed by hand'],
      ['/etc/new', undefined],
      ['/etc/systemd/system/chronyd.service', undefined],
      [KEYS, 'ssh-rsa INSTALLED\n'],
    ];
    const faults: string[] = [];
    for (const [path, text] of wanted)
      if ((await node.text(path)) !== text) faults.push(`${path} is not as before`);
    return faults;
  },
};

describe('a power cut', () => {
  it('at any call of the disk leaves the same result', async () => {
    const cluster = stories.cluster();
    await cluster.addConfig(FAILING.from);
    await cluster.addConfig(FAILING.to);
    const { faults, calls } = await runUpdate(cluster, FAILING);
    expect(faults).toEqual([]);
    const step = isEvery ? 1 : Math.ceil(calls / CUTS);
    const found: string[] = [];
    for (let call = 1; call <= calls && found.length < 4; call += step) {
      const cut: Cut =
        call % 2 === 0
          ? { call, when: 'within', back: 'boot', isTorn: true }
          : { call, when: 'before', back: 'resume' };
      const result = await runUpdate(cluster, FAILING, cut);
      found.push(
        ...result.faults.map((fault) => `${cut.when} call ${call} of ${calls}, ${cut.back}: ${fault}`),
      );
    }
    expect(found).toEqual([]);
  });
});
