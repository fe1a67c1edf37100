import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from './disk.ts';
import { createRealDisk } from './real-disk.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const code = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => 'fine',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );

let folder: string;
let disk: Disk;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'millwright-disk-'));
  fs.mkdirSync(join(folder, 'root/real'), { recursive: true });
  fs.mkdirSync(join(folder, 'outside'));
  fs.writeFileSync(join(folder, 'outside/canary'), 'untouched');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** On a platform with /proc, and on one without. */
describe.each([true, false])('a real disk, with /proc: %s', (hasProc) => {
  beforeEach(() => {
    disk = createRealDisk({ platform: { ...fs, existsSync: () => hasProc }, root: join(folder, 'root') });
  });

  it('resolves no link', async () => {
    fs.symlinkSync('../outside', join(folder, 'root/way'));
    fs.symlinkSync('../outside/canary', join(folder, 'root/end'));
    const asked = {
      stat: disk.stat('/way/canary'),
      read: disk.read('/way/canary', 100),
      list: disk.list('/way'),
      create: disk.create('/way/new', 0o644),
      makeFolder: disk.makeFolder('/way/new', 0o755),
      makeLink: disk.makeLink('/way/new', { target: 'x' }),
      write: disk.write('/way/canary', bytes('evil')),
      setMode: disk.setMode('/way/canary', 0o777),
      unlink: disk.unlink('/way/canary'),
      renameOut: disk.rename({ from: '/end', to: '/way/evil' }),
      renameIn: disk.rename({ from: '/way/canary', to: '/stolen' }),
      syncFolder: disk.syncFolder('/way'),
    };
    for (const [what, promise] of Object.entries(asked))
      expect([what, await code(promise)]).toEqual([what, 'ENOTDIR']);
    for (const promise of [
      disk.read('/end', 100),
      disk.write('/end', bytes('evil')),
      disk.setMode('/end', 0o777),
    ]) {
      expect(await code(promise)).toBe('ELOOP');
    }
    expect(await code(disk.create('/end', 0o644))).toBe('EEXIST');
    expect(fs.readdirSync(join(folder, 'outside'))).toEqual(['canary']);
    expect(fs.readFileSync(join(folder, 'outside/canary'), 'utf8')).toBe('untouched');
  });

  it('sets modes independent of the umask', async () => {
    await disk.create('/file', 0o666);
    await disk.makeFolder('/folder', 0o777);
    expect((await disk.stat('/file'))?.mode).toBe(0o666);
    expect((await disk.stat('/folder'))?.mode).toBe(0o777);
    await disk.setMode('/folder', 0o1700);
    expect((await disk.stat('/folder'))?.mode).toBe(0o1700);
    expect((await disk.stat('/'))?.kind).toBe('folder');
    expect(await disk.stat('/none/x')).toBeUndefined();
  });

  it('leaves no file descriptor open', async () => {
    const count = () => fs.readdirSync('/proc/self/fd').length;
    const before = count();
    for (let times = 0; times < 20; times++) {
      await disk.create('/real/x', 0o644);
      await disk.write('/real/x', bytes('x'));
      await disk.syncFile('/real/x');
      await disk.read('/real/x', 10);
      await code(disk.read('/real/x', 0));
      await code(disk.create('/real/x', 0o644));
      await code(disk.stat('/real/x/y/z'));
      await disk.syncFolder('/real');
      await disk.unlink('/real/x');
    }
    expect(count()).toBeLessThanOrEqual(before + 1);
  });
});

describe('a folder that is replaced by a link during a call', () => {
  it('does not lead out of the root', async () => {
    // The exchange comes at the worst of moments: after the folders were opened, before the last name is used.
    const swap = (): void => {
      if (!fs.existsSync(join(folder, 'root/real'))) return;
      fs.renameSync(join(folder, 'root/real'), join(folder, 'root/moved'));
      fs.symlinkSync(join(folder, 'outside'), join(folder, 'root/real'));
    };
    const openSync = (path: string, flags: number, mode?: number): number => {
      if ((flags & fs.constants.O_CREAT) !== 0) swap();
      return fs.openSync(path, flags, mode);
    };
    disk = createRealDisk({ platform: { ...fs, openSync }, root: join(folder, 'root') });
    expect(await code(disk.create('/real/evil', 0o644))).toBe('ENOTDIR');
    expect(fs.readdirSync(join(folder, 'outside'))).toEqual(['canary']);
    expect(fs.readdirSync(join(folder, 'root/moved'))).toEqual(['evil']);
  });
});
