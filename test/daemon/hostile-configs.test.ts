/**
 * Configs that no machine can follow, or that would damage one: the node degrades with the reason, keeps what it has, and is
 * done again once the config is taken back.
 */
import { gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { base64DataUrl } from '../../src/config/ignition/index.ts';
import { JOURNAL, JOURNAL_TO } from '../../src/node/daemon/index.ts';
import { anImage } from '../host/an-image.ts';
import { aUnit, type ConfigParts } from './a-config.ts';
import { NEW_OS, OLD_OS, osImages } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE = 60_000;

const wasDrained = ({ node }: JoinedNode) =>
  node.lines.some((line) => line.includes('requesting cordon and drain'));

/** Taking the config back is all that an administrator does. */
async function takeBack({ node, first }: JoinedNode): Promise<void> {
  await stories.cluster().send(node.name, first);
  await stories.cluster().untilDone(node.name, first);
  expect(await node.text(JOURNAL)).toBe(undefined);
  expect(await stories.cluster().annotation(node.name, 'reason')).toBe('');
}

describe('a config that writes below /usr', () => {
  it.each([
    ['/usr/bin/tool', 'open /usr/bin/tool: read-only file system'],
    ['/usr/new/deep/tool', 'open /usr/new/deep/tool: read-only file system'],
    ['/lib/tool', 'open /lib/tool: read-only file system'],
    ['/usr/lib/os-release', 'open /usr/lib/os-release: read-only file system'],
    ['/etc/into-usr/tool', 'open /etc/into-usr/tool: read-only file system'],
  ])('to %s degrades the node with the reason of the machine, without a drain', async (path, reason) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    await node.machine.host.files.link('/etc/into-usr', '../usr/lib');
    const before = await node.text(path);
    await joined.sendTo('next', { files: { '/etc/a': 'two', [path]: 'x' } });
    expect(await untilDegraded(joined, /read-only/)).toBe(reason);
    await pass(5 * MINUTE);
    expect(wasDrained(joined)).toBe(false);
    expect(await node.text('/etc/a')).toBe('one');
    expect(await node.text(path)).toBe(before);
    await takeBack(joined);
  });

  it('is followed where the file is below /usr/local, which is kept below /var', async () => {
    const joined = await join({ files: { '/usr/local/sbin/calc.sh': 'one' } });
    const { node, first } = joined;
    const next = await joined.sendTo('next', {
      files: { '/usr/local/sbin/calc.sh': 'two', '/usr/local/bin/new/tool': 'x' },
      osImage: NEW_OS,
    });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text('/var/usrlocal/sbin/calc.sh')).toBe('two');
    expect(await node.text('/usr/local/bin/new/tool')).toBe('x');
    await stories.cluster().send(node.name, first);
    await stories.cluster().untilDone(node.name, first);
    expect(await node.text('/usr/local/sbin/calc.sh')).toBe('one');
    expect(await node.text('/var/usrlocal/bin/new/tool')).toBe(undefined);
  });

  it('is rolled back where only the write shows that the file system is read-only', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const mend = node.disk.addFault({ path: '/rootfs/var/opt', code: 'EROFS', calls: ['create'] });
    await joined.sendTo('next', { files: { '/etc/a': 'two', '/opt/tool': 'x' } });
    await untilDegraded(joined, /^open \/opt\/\.tool[0-9]+: read-only file system$/);
    expect(await node.text('/etc/a')).toBe('one');
    await takeBack(joined);
    mend();
  });
});

const long = (bytes: number, character = 'x') =>
  `/etc/${character.repeat(Math.floor(bytes / new TextEncoder().encode(character).length))}`;

describe('a file with a long name', () => {
  it.each([245, 246, 248, 255])('of %d bytes is written, and removed with its config', async (bytes) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const paths = [long(bytes), long(bytes, 'ü'), `${long(bytes, 'f')}${long(bytes, 'g')}`];
    const files = Object.fromEntries(paths.map((path) => [path, 'x']));
    const next = await joined.sendTo('next', { files: { '/etc/a': 'two', ...files } });
    await stories.cluster().untilDone(node.name, next);
    for (const path of paths) expect(await node.text(path)).toBe('x');
    await takeBack(joined);
    for (const path of paths) expect(await node.text(path)).toBe(undefined);
    const { files: disk } = node.machine.host;
    expect((await disk.list('/etc/machine-config-daemon/noorig-of-long-paths')) ?? []).toEqual([]);
    expect(await disk.stat('/etc/machine-config-daemon/journal-in-the-way-of-long-paths')).toBe(undefined);
  });

  it('is restored where it was there before an update that is rolled back', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const paths = [long(250), long(255), `${long(255, 'f')}${long(255, 'g')}`];
    for (const path of paths) await node.write(path, 'by hand');
    node.disk.addFault({ path: '/rootfs/etc/zz-blocked', code: 'EEXIST', calls: ['rename'] });
    const files = Object.fromEntries(paths.map((path) => [path, 'ours']));
    await joined.sendTo('next', { files: { ...files, '/etc/zz-blocked': 'x' } });
    await untilDegraded(joined, /file exists/);
    for (const path of paths) expect(await node.text(path)).toBe('by hand');
    await takeBack(joined);
    for (const path of paths) expect(await node.text(path)).toBe('by hand');
  });

  it('is that of the OS again once no config has it', async () => {
    const path = long(252);
    const images = osImages();
    images[OLD_OS] = anImage({ files: { [path]: 'default' } });
    const joined = await join({ files: { [path]: 'ours' } }, { images });
    const { node } = joined;
    const next = await joined.sendTo('next', { files: { '/etc/a': 'x' } });
    await stories.cluster().untilDone(node.name, next);
    expect(await node.text(path)).toBe('default');
  });

  it.each<[string, ConfigParts]>([
    ['a file of 256 bytes', { files: { [long(256)]: 'x' } }],
    ['a path of 4100 bytes', { files: { ['/abcdefghi'.repeat(410)]: 'x' } }],
    [
      'a unit whose folder of drop-ins has 256 bytes',
      {
        units: [
          aUnit(`${'u'.repeat(246)}.service`, '', { dropins: [{ name: 'a.conf', contents: '[Unit]' }] }),
        ],
      },
    ],
    [
      'a drop-in of 256 bytes',
      {
        units: [
          aUnit('u.service', '', { dropins: [{ name: `${'d'.repeat(251)}.conf`, contents: '[Unit]' }] }),
        ],
      },
    ],
  ])('that no machine takes is refused before the drain: %s', async (_, parts) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    await joined.sendTo('next', parts);
    await untilDegraded(joined, /is too long: it has [0-9]+ bytes, and a machine takes [0-9]+ at most$/);
    await pass(5 * MINUTE);
    expect(wasDrained(joined)).toBe(false);
    await takeBack(joined);
  });

  it('of a journal of an older version, which could not roll back, is rolled back', async () => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node, first } = joined;
    const path = long(300);
    const mend = node.disk.addFault({ path: '/rootfs/etc/b', code: 'EIO', calls: ['unlink'] });
    node.disk.addFault({ path: '/rootfs/etc/zz-blocked', code: 'EEXIST', calls: ['rename'] });
    await joined.sendTo('next', { files: { '/etc/a': 'two', '/etc/b': 'x', '/etc/zz-blocked': 'x' } });
    await untilDegraded(joined, /error rolling back files writes/);
    node.stopDaemon();
    const config = JSON.parse((await node.text(JOURNAL_TO)) ?? '');
    config.spec.config.storage.files.push({ path, mode: 420, contents: { source: 'data:,x' } });
    await node.write(JOURNAL_TO, JSON.stringify(config), 0o600);
    mend();
    await stories.cluster().send(node.name, first);
    node.startDaemon();
    await takeBack(joined);
    expect(await node.text('/etc/b')).toBe(undefined);
  });
});

describe('a unit whose [Install] section leads out of the unit folders', () => {
  it.each<[string, string, RegExp]>([
    ['WantedBy', '../..', /"\.\.\/\.\." is not a valid unit name/],
    ['RequiredBy', '../../../tmp/x.target', /is not a valid unit name/],
    ['Alias', '../../../etc/evil.service', /Cannot alias/],
    ['Also', '../../passwd', /Invalid argument/],
  ])('by %s=%s degrades the node, and leaves nothing behind', async (key, value, reason) => {
    const contents = `[Service]\nExecStart=/usr/bin/true\n[Install]\n${key}=${value}\n`;
    const parts: ConfigParts = { files: { '/etc/a': 'one' } };
    const joined = await join(parts);
    const { node } = joined;
    const { files } = node.machine.host;
    const listAll = () => Promise.all(['/', '/etc', '/tmp', '/etc/systemd'].map((path) => files.list(path)));
    await node.write('/etc/systemd/system/mine.service', 'x');
    const before = await listAll();
    await joined.sendTo('next', {
      files: { '/etc/a': 'two' },
      units: [aUnit('evil.service', '', { contents })],
    });
    await untilDegraded(joined, reason);
    expect(await node.text('/etc/a')).toBe('one');
    await takeBack(joined);
    expect(await listAll()).toEqual(before);
    expect(await files.stat('/etc/systemd/system/evil.service')).toBe(undefined);
  });
});

describe('a rollback that fails midway', () => {
  const packed = (bytes: number) => ({
    path: '/etc/packed',
    contents: { source: base64DataUrl('', gzipSync(new Uint8Array(bytes))), compression: 'gzip' },
  });
  const unit = (contents: string) =>
    aUnit('evil.service', '', { contents: `[Service]\nExecStart=/bin/true\n[Install]\n${contents}` });

  it.each<[string, ConfigParts, RegExp]>([
    [
      'long names',
      { files: { [long(255)]: 'x', [`${long(250, 'f')}${long(250, 'g')}`]: 'x' } },
      /file exists/,
    ],
    [
      'a unit that cannot be enabled',
      { units: [unit('WantedBy=../..\nWantedBy=multi-user.target\n')] },
      /not a valid unit name/,
    ],
    ['packed contents', { extraFiles: [packed(3 * 1024 ** 2)] }, /file exists/],
    ['a read-only file system', { files: { '/opt/tool': 'x' } }, /read-only file system/],
  ])('is completed later, and the config can be taken back: %s', async (_, parts, reason) => {
    const joined = await join({ files: { '/etc/a': 'one' } });
    const { node } = joined;
    const blocked = reason.source === 'file exists' ? [{ path: '/etc/zz-blocked' }] : [];
    node.disk.addFault({ path: '/rootfs/etc/zz-blocked', code: 'EEXIST', calls: ['rename'] });
    const mends = [
      node.disk.addFault({ path: '/rootfs/var/opt', code: 'EROFS', calls: ['create'] }),
      node.disk.addFault({ path: '/rootfs/etc/b', code: 'EIO', calls: ['unlink'] }),
    ];
    await joined.sendTo('next', {
      ...parts,
      files: { '/etc/a': 'two', '/etc/b': 'x', ...parts.files },
      extraFiles: [...(parts.extraFiles ?? []), ...blocked],
    });
    const text = await untilDegraded(
      joined,
      /^error rolling back files writes: \[remove \/etc\/b: input\/output error, /,
    );
    expect(text).toMatch(reason);
    await pass(5 * MINUTE);
    await stories.cluster().send(node.name, joined.first);
    await pass(5 * MINUTE);
    expect(await stories.cluster().annotation(node.name, 'state')).toBe('Degraded');
    mends.forEach((mend) => {
      mend();
    });
    await takeBack(joined);
    expect(await node.text('/etc/a')).toBe('one');
    for (const path of [
      '/etc/b',
      '/etc/packed',
      long(255),
      '/opt/tool',
      '/etc/systemd/system/evil.service',
    ]) {
      expect([path, await node.text(path)]).toEqual([path, undefined]);
    }
    const { files } = node.machine.host;
    expect((await files.list('/etc/systemd/system/multi-user.target.wants')) ?? []).not.toContain(
      'evil.service',
    );
  });
});
