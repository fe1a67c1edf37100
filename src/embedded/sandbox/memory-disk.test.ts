import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/support/virtual-env.ts';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const code = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => 'fine',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );

let disk: MemoryDisk;
beforeEach(() => {
  disk = createMemoryDisk();
});
const textAt = async (path: string) => new TextDecoder().decode(await disk.read(path, 1_000_000));

async function lasting(path: string, text: string): Promise<void> {
  await disk.create(path, 0o644);
  await disk.write(path, bytes(text));
  await disk.syncFile(path);
  await disk.syncFolder('/');
}

function cut(seed?: number): void {
  disk.cutPower(seed === undefined ? 'nothing' : seededRandom(seed));
  disk.restorePower();
}

describe('what is refused', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['a file in no folder', () => disk.create('/none/x', 0o644), 'ENOENT'],
    ['a file in a file', () => disk.create('/file/x', 0o644), 'ENOTDIR'],
    ['a file in a link to a folder', () => disk.create('/link/x', 0o644), 'ENOTDIR'],
    ['a file that is there', () => disk.create('/file', 0o644), 'EEXIST'],
    ['content for a folder', () => disk.write('/folder', bytes('x')), 'EISDIR'],
    ['content through a link', () => disk.write('/link', bytes('x')), 'ELOOP'],
    ['a file over a folder', () => disk.rename({ from: '/file', to: '/folder' }), 'EISDIR'],
    ['a folder over a file', () => disk.rename({ from: '/folder', to: '/file' }), 'ENOTDIR'],
    ['a folder over a full one', () => disk.rename({ from: '/empty', to: '/folder' }), 'ENOTEMPTY'],
    ['a folder into itself', () => disk.rename({ from: '/folder', to: '/folder/in/x' }), 'EINVAL'],
    ['the end of a full folder', () => disk.removeFolder('/folder'), 'ENOTEMPTY'],
    ['the end of a folder as of a file', () => disk.unlink('/folder'), 'EISDIR'],
    ['the end of the root', () => disk.removeFolder('/'), 'EBUSY'],
    ['the names in a file', () => disk.list('/file'), 'ENOTDIR'],
    ['too long a file', () => disk.read('/file', 3), 'EFBIG'],
    ['a name with a NUL', () => disk.create('/a\0', 0o644), 'EINVAL'],
  ])('is %s', async (_, act, expected) => {
    await lasting('/file', 'text');
    await disk.makeFolder('/folder', 0o755);
    await disk.makeFolder('/folder/in', 0o755);
    await disk.makeFolder('/empty', 0o755);
    await disk.makeLink('/link', { target: '/folder' });
    expect(await code(act())).toBe(expected);
  });

  it('is what does not fit', async () => {
    disk = createMemoryDisk({ maxBytes: 10, maxFiles: 2 });
    await disk.create('/a', 0o644);
    await disk.write('/a', bytes('1234567890'));
    expect(await code(disk.write('/a', bytes('12345678901')))).toBe('ENOSPC');
    await disk.create('/b', 0o644);
    expect(await code(disk.create('/c', 0o644))).toBe('ENOSPC');
    await disk.rename({ from: '/b', to: '/a' });
    await disk.create('/c', 0o644);
    await disk.write('/c', bytes('1234567890'));
    await disk.unlink('/c');
    await disk.write('/a', bytes('1234567890'));
  });

  it('is what was asked to be, as often as was asked', async () => {
    const mend = disk.addFault({ path: '/etc', code: 'EROFS' });
    disk.addFault({ path: '/', code: 'ENOSPC', calls: ['write'], times: 1 });
    disk.addFault({ path: '/x', code: 'EIO', calls: ['read'] });
    expect(await code(disk.makeFolder('/etc', 0o755))).toBe('EROFS');
    mend();
    await disk.makeFolder('/etc', 0o755);
    await disk.create('/x', 0o644);
    expect(await code(disk.write('/x', bytes('x')))).toBe('ENOSPC');
    await disk.write('/x', bytes('x'));
    expect(await code(disk.read('/x', 10))).toBe('EIO');
  });
});

describe('a power cut', () => {
  it('loses unsynced content, modes, names and renames', async () => {
    await lasting('/a', 'old');
    await disk.write('/a', bytes('new'));
    await disk.setMode('/a', 0o600);
    await disk.create('/b', 0o644);
    await disk.rename({ from: '/a', to: '/c' });
    cut();
    expect(await disk.list('/')).toEqual(['a']);
    expect(await textAt('/a')).toBe('old');
    expect((await disk.stat('/a'))?.mode).toBe(0o644);
  });

  it('leaves a name without content if only the directory was synced', async () => {
    await disk.create('/a', 0o644);
    await disk.write('/a', bytes('text'));
    await disk.syncFolder('/');
    cut();
    expect(await textAt('/a')).toBe('');
  });

  it('leaves no file if only the file was synced', async () => {
    await disk.create('/a', 0o644);
    await disk.syncFile('/a');
    cut();
    expect(await disk.list('/')).toEqual([]);
  });

  it('fails all calls until the power is restored', async () => {
    disk.cutPower();
    expect(await code(disk.list('/'))).toBe('Failure: the machine has no power');
    expect(await code(disk.makeFolder('/a', 0o755))).toBe('Failure: the machine has no power');
    disk.restorePower();
    expect(await disk.list('/')).toEqual([]);
  });

  it('happens before or within the scheduled call', async () => {
    for (const when of ['before', 'within'] as const) {
      await disk.makeFolder(`/${when}`, 0o755);
      await disk.syncFolder('/');
      disk.planCut({ call: 2, when });
      await disk.makeFolder(`/${when}/a`, 0o755);
      expect(await code(disk.syncFolder(`/${when}`))).toBe('Failure: the machine has no power');
      disk.restorePower();
      expect(await disk.list(`/${when}`)).toEqual([]);
    }
    expect(disk.callCount).toBe(8);
  });

  it('may leave each inode at any earlier state, and partial content', async () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 300; seed++) {
      disk = createMemoryDisk();
      await lasting('/a', 'old');
      await disk.write('/a', bytes('new!'));
      await disk.create('/b', 0o644);
      await disk.rename({ from: '/a', to: '/c' });
      cut(seed);
      const names = [...(await disk.list('/'))].sort();
      const content = names.filter((name) => name !== 'b').map((name) => textAt(`/${name}`));
      seen.add(`${names.join()} ${(await Promise.all(content)).join()}`);
    }
    const names = new Set([...seen].map((one) => one.split(' ')[0]));
    // A rename is never seen by half, and comes after what came before it in the same folder.
    expect([...names].sort()).toEqual(['a', 'a,b', 'b,c']);
    const contents = new Set([...seen].map((one) => one.split(' ')[1]));
    expect([...contents].sort()).toEqual(['', 'n', 'ne', 'new', 'new!', 'old']);
  });

  it('never produces content that was not written', async () => {
    const step = fc.record({
      act: fc.constantFrom('create', 'write', 'rename', 'unlink', 'syncFile', 'syncFolder', 'makeFolder'),
      path: fc.constantFrom('/a', '/b', '/d/a', '/d/b', '/d'),
      other: fc.constantFrom('/a', '/b', '/d/a', '/d/b', '/d'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(), async (steps, seed) => {
        disk = createMemoryDisk();
        const written = new Set(['']);
        for (const [index, { act, path, other }] of steps.entries()) {
          if (act === 'write') written.add(`content ${index}`);
          await code(
            act === 'write'
              ? disk.write(path, bytes(`content ${index}`))
              : act === 'rename'
                ? disk.rename({ from: path, to: other })
                : act === 'create' || act === 'makeFolder'
                  ? disk[act](path, 0o755)
                  : disk[act](path),
          );
        }
        cut(seed);
        for (const path of ['/a', '/b', '/d/a', '/d/b']) {
          if ((await disk.stat(path).catch(() => undefined))?.kind !== 'file') continue;
          const text = await textAt(path);
          expect([...written].some((one) => one.startsWith(text))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('stats on the way to a path', () => {
  beforeEach(async () => {
    await disk.makeFolder('/a', 0o755);
    await disk.makeFolder('/a/b', 0o700);
    await disk.create('/a/b/file', 0o644);
    await disk.makeLink('/a/link', { target: 'b' });
  });

  it.each<[string, readonly string[], readonly (string | undefined)[]]>([
    ['/', [], ['folder']],
    ['/', ['a', 'b', 'file'], ['folder', 'folder', 'folder', 'file']],
    ['/a', ['link', 'file'], ['folder', 'link']],
    ['/a', ['none', 'file'], ['folder', undefined]],
    ['/none', ['a'], [undefined]],
  ])('from %s to %j are %j, each as asked for alone', async (folder, names, kinds) => {
    const stats = (await disk.statWay?.(folder, names)) ?? [];
    expect(stats.map((stat) => stat?.kind)).toEqual(kinds);
    const paths = kinds.map((_, count) => [folder, ...names.slice(0, count)].join('/').replace('//', '/'));
    expect(stats).toEqual(await Promise.all(paths.map((path) => disk.stat(path))));
  });

  it('fail where one of them does', async () => {
    disk.addFault({ path: '/a/b', code: 'EIO', calls: ['stat'], times: 1 });
    expect(await code(disk.statWay?.('/', ['a', 'b', 'file']) ?? Promise.resolve())).toBe('EIO');
    expect(await code(disk.statWay?.('/', ['a', 'x'.repeat(256)]) ?? Promise.resolve())).toBe('ENAMETOOLONG');
  });
});
