/**
 * The files of every host.
 */
import { describe, expect, it } from 'vitest';
import { bytes, eventually, file, problem, sceneFor, textAt } from '../../../test/host/contract-fixtures.ts';
import type { HostScene } from './contract.ts';

export function filesContract(create: () => Promise<HostScene>): void {
  const at = sceneFor(create);
  describe('write, on failure,', () => {
    it('throws where the folder is a file', async () => {
      await at.host.files.write('/etc/app', file('x'));
      expect(await problem(at.host.files.write('/etc/app/conf', file('x')))).toBe(
        'mkdir /etc/app: not a directory',
      );
      expect(await problem(at.host.files.write('/etc/app/a/b', file('x')))).toBe(
        'mkdir /etc/app: not a directory',
      );
    });

    it('throws where a folder has the name, and leaves nothing behind', async () => {
      await at.host.files.makeFolder('/var/home/core', { mode: 0o700 });
      expect(await problem(at.host.files.write('/home/core', file('x')))).toMatch(
        /^rename \/home\/\.core[1-9][0-9]{9} \/home\/core: file exists$/,
      );
      expect(await at.host.files.list('/home')).toEqual(['core']);
    });

    it('throws where the folder is a dangling link', async () => {
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
    ])('throws for the path %j', async (path, message) => {
      expect(await problem(at.host.files.write(path, file('x')))).toBe(message);
    });

    it.each([0o1777, 0o4755, 0o10000, -1, 1.5])('throws for the mode %d', async (mode) => {
      expect(await problem(at.host.files.write('/etc/x', file('x', { mode })))).toBe(
        `invalid mode 0${mode.toString(8)} for /etc/x, cannot exceed 0777`,
      );
      expect(await at.host.files.stat('/etc/x')).toBeUndefined();
    });
  });

  describe('write', () => {
    it('sets content, mode and owner', async () => {
      const owner = at.scene.owner;
      await at.host.files.write('/etc/app/deep/conf', file('hello', { mode: 0o600, owner }));
      expect(await textAt(at.host, '/etc/app/deep/conf')).toBe('hello');
      expect(await at.host.files.stat('/etc/app/deep/conf')).toEqual({
        kind: 'file',
        mode: 0o600,
        sizeBytes: 5,
        owner,
      });
      expect(await at.host.files.stat('/etc/app/deep')).toMatchObject({ kind: 'folder', mode: 0o755 });
      expect(await at.host.files.list('/etc/app/deep')).toEqual(['conf']);
    });

    it('replaces a file, and a link without changing its target', async () => {
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

    it('accepts any bytes, any length and any valid name', async () => {
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

    it('sets a mode without any permission, and the file can still be read as root', async () => {
      if (!at.scene.isPrivileged) return;
      await at.host.files.write('/etc/shadow', file('secret', { mode: 0o000 }));
      expect(await at.host.files.stat('/etc/shadow')).toMatchObject({ mode: 0o000 });
      expect(await textAt(at.host, '/etc/shadow')).toBe('secret');
    });
  });

  describe('read', () => {
    it('returns undefined for a missing file, also below a file', async () => {
      for (const path of ['/etc/none', '/none/none', '/etc/hosts/none', '/etc/none/../hosts']) {
        expect([path, await at.host.files.read(path)]).toEqual([path, undefined]);
        expect([path, await at.host.files.stat(path)]).toEqual([path, undefined]);
        expect([path, await at.host.files.list(path)]).toEqual([path, undefined]);
        expect([path, await at.host.files.remove(path)]).toEqual([path, false]);
        expect([path, await at.host.files.removeFolder(path)]).toEqual([path, false]);
      }
      expect(await at.host.files.list('/etc/hosts')).toBeUndefined();
    });

    it('returns undefined for names that no file can have', async () => {
      for (const path of [`/etc/${'x'.repeat(256)}`, `/etc/${'x'.repeat(256)}/a`, '/a'.repeat(2100)]) {
        expect(await at.host.files.stat(path)).toBeUndefined();
        expect(await at.host.files.read(path)).toBeUndefined();
        expect(await at.host.files.remove(path)).toBe(false);
        expect(await at.host.files.removeTemporaryFiles([path])).toBe(0);
        expect(await at.host.files.whyUnwritable(path)).toBe(`open ${path}: file name too long`);
      }
    });

    it('cannot be written where a folder has its name', async () => {
      await at.host.files.makeFolder('/etc/app/there', { mode: 0o755 });
      expect(await at.host.files.whyUnwritable('/etc/app/there')).toBe('open /etc/app/there: is a directory');
      expect(await at.host.files.whyUnwritable('/etc/app/there/new')).toBeUndefined();
    });

    it('cannot be written where something else than a folder is on the way, with the error of the write', async () => {
      const { files } = at.host;
      await files.write('/etc/file', file('x'));
      await files.link('/etc/to-file', 'file');
      await files.link('/etc/dangling', '/nowhere');
      await files.link('/etc/deep', '/nowhere/at/all');
      for (const path of ['file/a', 'file/a/b', 'to-file/a', 'to-file/a/b', 'dangling/a', 'deep/a/b']) {
        const why = await files.whyUnwritable(`/etc/${path}`);
        expect(why).toMatch(/^mkdir \/etc\/\S+: (not a directory|file exists)$/);
        expect(await problem(files.write(`/etc/${path}`, file('x')))).toBe(why);
      }
      expect(await files.whyUnwritable('/etc/dangling/a')).toBe('mkdir /etc/dangling: file exists');
      expect(await files.whyUnwritable('/etc/file/a/b')).toBe('mkdir /etc/file: not a directory');
      expect(await files.stat('/nowhere')).toBeUndefined();
    });

    it('can be written where folders are missing, behind links to folders, and in the place of a link', async () => {
      const { files } = at.host;
      await files.makeFolder('/var/real', { mode: 0o755 });
      await files.link('/etc/to-folder', '/var/real');
      await files.link('/etc/dangling', '/nowhere');
      for (const path of ['/etc/new/a/b', '/etc/to-folder/new/a', '/etc/to-folder/a', '/etc/dangling']) {
        expect([path, await files.whyUnwritable(path)]).toEqual([path, undefined]);
      }
      expect(await files.stat('/etc/new')).toBeUndefined();
      expect(await files.list('/var/real')).toEqual([]);
      for (const path of ['/etc/new/a/b', '/etc/to-folder/new/a', '/etc/to-folder/a', '/etc/dangling']) {
        await files.write(path, file('x'));
      }
    });

    it('has the space of its file system, also where it does not exist', async () => {
      const there = await at.host.files.space('/etc/hosts');
      const missing = await at.host.files.space('/etc/none/at/all');
      expect(there?.freeBytes).toBeGreaterThan(0);
      expect(missing?.fileSystem).toBe(there?.fileSystem);
    });

    it('throws for folders and for files that exceed the limit', async () => {
      expect(await problem(at.host.files.read('/etc'))).toBe('read /etc: is a directory');
      expect(await problem(at.host.files.read('/etc/hosts', 3))).toBe('read /etc/hosts: file too large');
    });
  });

  it('copy keeps the mode, and copies links as links', async () => {
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

  it('move renames files, links and folders, and replaces nothing', async () => {
    const { files } = at.host;
    const owner = at.scene.owner;
    await files.write('/etc/one/conf', file('x', { mode: 0o600, owner }));
    await files.link('/etc/alias', 'nowhere');
    await files.move('/etc/one/conf', '/var/two/deep/conf');
    await files.move('/etc/alias', '/etc/other');
    await files.write('/etc/one/rest', file('y'));
    await files.move('/etc/one', '/var/two/one');
    expect(await files.stat('/var/two/deep/conf')).toMatchObject({ kind: 'file', mode: 0o600, owner });
    expect(await files.stat('/etc/other')).toMatchObject({ kind: 'link', target: 'nowhere' });
    expect(await textAt(at.host, '/var/two/one/rest')).toBe('y');
    for (const path of ['/etc/one', '/etc/alias']) expect(await files.stat(path)).toBeUndefined();
    expect(await problem(files.move('/etc/none', '/etc/x'))).toBe(
      'rename /etc/none /etc/x: no such file or directory',
    );
    for (const taken of ['/etc/other', '/var/two', '/etc/hosts']) {
      expect(await problem(files.move('/var/two/deep/conf', taken))).toBe(
        `rename /var/two/deep/conf ${taken}: file exists`,
      );
    }
  });

  it('link creates and replaces links', async () => {
    const { files } = at.host;
    await files.link('/run/ostree/auth.json', '/etc/a');
    await files.link('/run/ostree/auth.json', '/etc/hosts');
    expect(await files.stat('/run/ostree/auth.json')).toMatchObject({ kind: 'link', target: '/etc/hosts' });
    expect(await files.read('/run/ostree/auth.json')).toEqual(await files.read('/etc/hosts'));
    expect(await problem(files.link('/etc', '/x'))).toMatch(/^rename \/\.etc[0-9]{10} \/etc: file exists$/);
  });

  it('remove removes files and links, removeFolder folders', async () => {
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

  it('makeFolder creates folders, and does not change existing ones', async () => {
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

  it('isOfOs tells whether a file belongs to the OS', async () => {
    const { files } = at.host;
    await files.write('/etc/mine', file('x'));
    expect(await files.isOfOs('/etc/hosts')).toBe(true);
    expect(await files.isOfOs('/etc/mine')).toBe(false);
    expect(await files.isOfOs('/etc/none')).toBe(false);
    expect(await files.isOfOs('/usr/lib/os-release')).toBe(true);
  });

  it('removeTemporaryFiles removes only temporary files', async () => {
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

  describe('watch', () => {
    it('reports changed, created and removed files and parent folders', async () => {
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
      // One change may be reported several times.
      await eventually(() => false, 5);
      expect(await heard(() => files.write('/etc/elsewhere/conf', file('z')), 10)).toBe(false);
      expect(await heard(() => files.link('/etc/watched', 'elsewhere'))).toBe(true);
      expect(await heard(() => files.write('/etc/elsewhere/conf', file('zz')))).toBe(true);
      expect(await heard(() => files.remove('/etc/elsewhere/conf'))).toBe(true);
      ending.abort();
      expect(await heard(() => files.write('/etc/hosts', file('y')), 10)).toBe(false);
    });
  });

  it('files survive a reboot, except below /run', async () => {
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
