/**
 * The files of every host.
 */
import { describe, expect, it } from 'vitest';
import { bytes, eventually, file, problem, sceneFor, textAt } from '../../../test/host/contract-fixtures.ts';
import type { HostScene } from './contract.ts';

export function filesContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);
  describe('that cannot be written', () => {
    it('say so when their folder is a file', async () => {
      await at.host.files.write('/etc/app', file('x'));
      expect(await problem(at.host.files.write('/etc/app/conf', file('x')))).toBe(
        'mkdir /etc/app: not a directory',
      );
      expect(await problem(at.host.files.write('/etc/app/a/b', file('x')))).toBe(
        'mkdir /etc/app: not a directory',
      );
    });

    it('say so when a folder has their name, and leave nothing behind', async () => {
      await at.host.files.makeFolder('/var/home/core', { mode: 0o700 });
      expect(await problem(at.host.files.write('/home/core', file('x')))).toMatch(
        /^rename \/home\/\.core[1-9][0-9]{9} \/home\/core: file exists$/,
      );
      expect(await at.host.files.list('/home')).toEqual(['core']);
    });

    it('say so when their folder is a link that leads nowhere', async () => {
      await at.host.files.link('/etc/app', '/nowhere');
      expect(await problem(at.host.files.write('/etc/app/conf', file('x')))).toBe(
        'mkdir /etc/app: file exists',
      );
      expect(await at.host.files.stat('/nowhere')).toBeUndefined();
    });

    it.each([
      ['/', 'open /: is a directory'],
      ['/etc/..', 'open /etc/..: is a directory'],
      ['etc/conf', 'open etc/conf: invalid argument'],
      ['/etc/a\0b', 'open /etc/a\0b: invalid argument'],
      [`/etc/${'x'.repeat(256)}`, `open /etc/${'x'.repeat(256)}: file name too long`],
      [`${'/a'.repeat(2100)}`, `open ${'/a'.repeat(2100)}: file name too long`],
    ])('say so when they are called %j', async (path, words) => {
      expect(await problem(at.host.files.write(path, file('x')))).toBe(words);
    });

    it.each([0o1777, 0o4755, 0o10000, -1, 1.5])('say so when their mode is %d', async (mode) => {
      expect(await problem(at.host.files.write('/etc/x', file('x', { mode })))).toBe(
        `invalid mode 0${mode.toString(8)} for /etc/x, cannot exceed 0777`,
      );
      expect(await at.host.files.stat('/etc/x')).toBeUndefined();
    });
  });

  describe('that are written', () => {
    it('have the content, mode and owner that were asked for', async () => {
      const owner = at.scene.owner;
      await at.host.files.write('/etc/app/deep/conf', file('hello', { mode: 0o600, owner }));
      expect(await textAt(at.host, '/etc/app/deep/conf')).toBe('hello');
      expect(await at.host.files.stat('/etc/app/deep/conf')).toEqual({
        ...{ kind: 'file', mode: 0o600, sizeBytes: 5, owner },
      });
      expect(await at.host.files.stat('/etc/app/deep')).toMatchObject({ kind: 'folder', mode: 0o755 });
      expect(await at.host.files.list('/etc/app/deep')).toEqual(['conf']);
    });

    it('replace what was there, a link too, and not what it points to', async () => {
      await at.host.files.write('/etc/target', file('target'));
      await at.host.files.link('/etc/conf', 'target');
      expect(await textAt(at.host, '/etc/conf')).toBe('target');
      await at.host.files.write('/etc/conf', file('new', { mode: 0o640 }));
      await at.host.files.write('/etc/conf', file(''));
      expect(await at.host.files.stat('/etc/conf')).toMatchObject({
        kind: 'file',
        mode: 0o644,
        sizeBytes: 0,
      });
      expect(await textAt(at.host, '/etc/target')).toBe('target');
    });

    it('may have any bytes, any length, and names of all kinds', async () => {
      const content = new Uint8Array(3 * 1024 ** 2).map((_, index) => index * 31);
      for (const name of [
        'a b',
        'line\nbreak',
        'ü',
        '-f',
        '.hidden',
        'x'.repeat(255),
        `${'ü'.repeat(127)}x`,
      ]) {
        const path = `/etc/names/${name}`;
        await at.host.files.write(path, { bytes: content, mode: 0o644 });
        expect((await at.host.files.stat(path))?.sizeBytes).toBe(content.length);
        await at.host.files.write(path, file(name));
        expect(await textAt(at.host, path)).toBe(name);
      }
      expect(await at.host.files.list('/etc/names')).toHaveLength(7);
    });

    it('are shown to nobody who may not read them, not even to their owner, and can be read by us', async () => {
      if (!at.scene.isPrivileged) return;
      await at.host.files.write('/etc/shadow', file('secret', { mode: 0o000 }));
      expect(await at.host.files.stat('/etc/shadow')).toMatchObject({ mode: 0o000 });
      expect(await textAt(at.host, '/etc/shadow')).toBe('secret');
    });
  });

  describe('that are read', () => {
    it('may be missing, or below a file', async () => {
      for (const path of ['/etc/none', '/none/none', '/etc/hosts/none', '/etc/none/../hosts']) {
        expect([path, await at.host.files.read(path)]).toEqual([path, undefined]);
        expect([path, await at.host.files.stat(path)]).toEqual([path, undefined]);
        expect([path, await at.host.files.list(path)]).toEqual([path, undefined]);
        expect([path, await at.host.files.remove(path)]).toEqual([path, false]);
        expect([path, await at.host.files.removeFolder(path)]).toEqual([path, false]);
      }
      expect(await at.host.files.list('/etc/hosts')).toBeUndefined();
    });

    it('are refused where they are folders or too long', async () => {
      expect(await problem(at.host.files.read('/etc'))).toBe('read /etc: is a directory');
      expect(await problem(at.host.files.read('/etc/hosts', 3))).toBe('read /etc/hosts: file too large');
    });
  });

  it('are copied with their mode, and links as links', async () => {
    const { files } = at.host;
    const owner = at.scene.owner;
    await files.write('/etc/conf', file('x', { mode: 0o640, owner }));
    await files.link('/etc/alias', 'conf');
    await files.copy('/etc/conf', '/var/orig/etc/conf');
    await files.copy('/etc/alias', '/var/orig/etc/alias');
    expect(await files.stat('/var/orig/etc/conf')).toMatchObject({ kind: 'file', mode: 0o640, owner });
    expect(await files.stat('/var/orig/etc/alias')).toMatchObject({ kind: 'link', target: 'conf' });
    expect(await problem(files.copy('/etc/none', '/etc/x'))).toBe(
      'open /etc/none: no such file or directory',
    );
    expect(await problem(files.copy('/etc', '/etc2'))).toBe('copy /etc: is a directory');
    expect(await problem(files.copy('/etc/conf', '/var'))).toMatch(/^rename .* \/var: file exists$/);
  });

  it('are linked, and links are turned', async () => {
    const { files } = at.host;
    await files.link('/run/ostree/auth.json', '/etc/a');
    await files.link('/run/ostree/auth.json', '/etc/hosts');
    expect(await files.stat('/run/ostree/auth.json')).toMatchObject({ kind: 'link', target: '/etc/hosts' });
    expect(await files.read('/run/ostree/auth.json')).toEqual(await files.read('/etc/hosts'));
    expect(await problem(files.link('/etc', '/x'))).toMatch(/^rename \/\.etc[0-9]{10} \/etc: file exists$/);
  });

  it('are taken away, folders only as such', async () => {
    const { files } = at.host;
    await files.write('/etc/app/a/b/c', file('x'));
    await files.link('/etc/app/link', '/usr');
    expect(await problem(files.remove('/etc/app'))).toBe('remove /etc/app: is a directory');
    expect(await files.remove('/etc/app/link')).toBe(true);
    await files.link('/etc/app/link', '/usr');
    expect(await files.removeFolder('/etc/app')).toBe(true);
    expect(await files.stat('/etc/app')).toBeUndefined();
    expect((await files.list('/usr'))?.length).toBeGreaterThan(0);
    expect(await problem(files.removeFolder('/'))).toBe('remove /: device or resource busy');
  });

  it('stand in folders that are made once and then left as they are', async () => {
    const { files } = at.host;
    const owner = at.scene.owner;
    await files.makeFolder('/var/home/core', { mode: 0o755, owner });
    await files.makeFolder('/var/home/core/.ssh', { mode: 0o700, owner });
    expect(await files.stat('/home/core/.ssh')).toMatchObject({ kind: 'folder', mode: 0o700, owner });
    await files.makeFolder('/var/home/core/.ssh', { mode: 0o755 });
    expect(await files.stat('/home/core/.ssh')).toMatchObject({ mode: 0o700, owner });
    expect(await files.list('/var/home/core')).toEqual(['.ssh']);
    expect(await problem(files.makeFolder('/etc/hosts', { mode: 0o700 }))).toBe(
      'mkdir /etc/hosts: not a directory',
    );
    expect(await problem(files.makeFolder('/etc/hosts/a/b', { mode: 0o700 }))).toBe(
      'mkdir /etc/hosts: not a directory',
    );
  });

  it('are known to be of the OS, or not', async () => {
    const { files } = at.host;
    await files.write('/etc/mine', file('x'));
    expect(await files.isOfOs('/etc/hosts')).toBe(true);
    expect(await files.isOfOs('/etc/mine')).toBe(false);
    expect(await files.isOfOs('/etc/none')).toBe(false);
    expect(await files.isOfOs('/usr/lib/os-release')).toBe(true);
  });

  it('have leftovers that can be told from the files of others', async () => {
    const { files } = at.host;
    for (const name of [
      '.conf1234567890',
      '.conf0234567890',
      '.conf123',
      '.other1234567890',
      'conf',
      '.conf12345678901',
    ]) {
      await files.write(`/etc/app/${name}`, file('x'));
    }
    expect(await files.removeTemporaryFiles(['/etc/app/conf', '/etc/none/conf', '/etc/hosts/x'])).toBe(1);
    expect(await files.list('/etc/app')).toEqual(
      ['.conf0234567890', '.conf123', '.conf12345678901', '.other1234567890', 'conf'].sort(),
    );
  });

  describe('that are watched', () => {
    it('are told of when they change, appear, go, and when a folder on their way does', async () => {
      const { files } = at.host;
      const ending = new AbortController();
      let calls = 0;
      const heard = async (act: () => Promise<unknown>, tries?: number): Promise<boolean> => {
        const before = calls;
        await act();
        return await eventually(() => calls > before, tries);
      };
      await files.watch(['/etc/watched/conf', '/etc/hosts'], () => (calls += 1), ending.signal);
      expect(await heard(() => files.write('/etc/hosts', file('x')))).toBe(true);
      expect(await heard(() => files.write('/etc/watched/conf', file('x')))).toBe(true);
      expect(await heard(() => files.write('/etc/watched/conf', file('y')))).toBe(true);
      expect(await heard(() => files.removeFolder('/etc/watched'))).toBe(true);
      expect(await heard(() => files.write('/etc/elsewhere/conf', file('z')), 10)).toBe(false);
      expect(await heard(() => files.link('/etc/watched', 'elsewhere'))).toBe(true);
      expect(await heard(() => files.write('/etc/elsewhere/conf', file('zz')))).toBe(true);
      expect(await heard(() => files.remove('/etc/elsewhere/conf'))).toBe(true);
      ending.abort();
      expect(await heard(() => files.write('/etc/hosts', file('y')), 10)).toBe(false);
    });
  });

  it('are found again after a reboot, except below /run', async () => {
    await at.host.files.write('/etc/lasting', { bytes: bytes('x'), mode: 0o600 });
    await at.host.files.write('/var/lasting', file('y'));
    await at.host.files.write('/run/passing', file('z'));
    await at.host.reboot('for a test');
    await at.scene.rebooted();
    expect(await textAt(at.host, '/etc/lasting')).toBe('x');
    expect(await textAt(at.host, '/var/lasting')).toBe('y');
    expect(await at.host.files.stat('/run/passing')).toBeUndefined();
  });
}
