/**
 * Configs that no machine can follow, or that would damage one: the node degrades with the reason, keeps what it has, and is
 * done again once the config is taken back.
 */
import { describe, expect, it } from 'vitest';
import { JOURNAL } from '../../src/node/daemon/index.ts';
import { aUnit, type ConfigParts } from './a-config.ts';
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
      osImage: Object.keys(joined.images)[1] ?? '',
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
