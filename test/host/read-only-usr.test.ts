/**
 * On an image-based OS /usr is read-only. Sandbox machines refuse changes to it with the errors of a real one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDirectoryDisk } from '../../src/embedded/sandbox/directory-node.ts';
import { createMemoryDisk } from '../../src/embedded/sandbox/index.ts';
import type { HostScene } from '../../src/node/host/contract.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { file, NEW_IMAGE, problem, sceneFor, textAt } from './contract-fixtures.ts';
import { sandboxScene } from './sandbox-scene.ts';

const ROOTS: readonly [string, () => Promise<HostScene>][] = [
  ['in memory', () => sandboxScene({ disk: createMemoryDisk() })],
  [
    'in a directory',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'millwright-usr-'));
      return await sandboxScene({
        disk: createDirectoryDisk({ folder, random: seededRandom(3) }),
        close: () => rm(folder, { recursive: true, force: true }),
      });
    },
  ],
];

describe.each(ROOTS)('/usr of a sandbox %s', (_, create) => {
  const at = sceneFor(create);

  it.each([
    ['/usr/lib/tool', /^open \/usr\/lib\/\.tool[0-9]{10}: read-only file system$/],
    ['/usr/lib/os-release', /^open \/usr\/lib\/\.os-release[0-9]{10}: read-only file system$/],
    ['/lib/tool', /^open \/lib\/\.tool[0-9]{10}: read-only file system$/],
    ['/etc/planted/tool', /^open \/etc\/planted\/\.tool[0-9]{10}: read-only file system$/],
    ['/usr/new/tool', /^mkdir \/usr\/new: read-only file system$/],
    ['/usr/tool', /^open \/usr\/\.tool[0-9]{10}: read-only file system$/],
  ])('refuses to write %s', async (path, message) => {
    const { files } = at.host;
    await files.link('/etc/planted', '../usr/lib');
    const before = await textAt(at.host, path);
    expect(await problem(files.write(path, file('x')))).toMatch(message);
    expect(await textAt(at.host, path)).toBe(before);
    expect(await files.whyUnwritable(path)).toBe(`open ${path}: read-only file system`);
  });

  it('refuses every other change', async () => {
    const { files } = at.host;
    const before = await files.list('/usr/lib');
    const changes = [
      () => files.link('/usr/lib/x', 'y'),
      () => files.copy('/etc/hosts', '/usr/lib/x'),
      () => files.makeFolder('/usr/lib/x', { mode: 0o755 }),
      () => files.remove('/usr/lib/os-release'),
      () => files.removeFolder('/usr/lib/systemd'),
    ];
    for (const change of changes) expect(await problem(change())).toMatch(/: read-only file system$/);
    expect(await files.list('/usr/lib')).toEqual(before);
    expect((await files.list('/usr/lib/systemd'))?.length).toBeGreaterThan(0);
  });

  it('lets files below /usr/local be written, which is a link to /var/usrlocal', async () => {
    const { files } = at.host;
    expect(await files.whyUnwritable('/usr/local/sbin/tool')).toBe(undefined);
    await files.write('/usr/local/sbin/tool', file('mine'));
    expect(await textAt(at.host, '/var/usrlocal/sbin/tool')).toBe('mine');
    await at.host.os.rebase(NEW_IMAGE);
    await at.host.reboot('for a test');
    await at.scene.rebooted();
    expect(await textAt(at.host, '/usr/local/sbin/tool')).toBe('mine');
  });

  it('leaves paths writable that only look like it', async () => {
    const { files } = at.host;
    for (const path of ['/etc/usr/x', '/var/usr', '/usrlocal', '/opt/x']) {
      expect(await files.whyUnwritable(path)).toBe(undefined);
      await files.write(path, file('x'));
    }
  });
});
