import { beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/support/virtual-env.ts';
import { Failure } from '../../base/errors.ts';
import { createMemoryDisk, type MemoryDisk } from '../../embedded/sandbox/memory-disk.ts';
import type { DiskCall, DiskErrorCode } from './disk.ts';
import type { HostFiles } from './host.ts';
import { createHostFiles } from './host-files.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (text: string) => ({ bytes: bytes(text), mode: 0o644 });
const OLD = { ...file('old'), owner: { uid: 0, gid: 0 } };
const NEW = { bytes: bytes('new'), mode: 0o600, owner: { uid: 7, gid: 8 } };

let disk: MemoryDisk;
let files: HostFiles;
beforeEach(async () => {
  disk = createMemoryDisk();
  await disk.makeFolder('/rootfs', 0o755);
  await disk.syncFolder('/');
  files = createHostFiles({ disk, root: '/rootfs', random: seededRandom(1), isPackaged: async () => false });
});

async function failure(promise: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

async function textAt(path: string): Promise<string | undefined> {
  const content = await files.read(path);
  return content === undefined ? undefined : new TextDecoder().decode(content);
}

/** Everything below a folder, as one text. */
async function picture(path: string): Promise<string> {
  const stat = await files.stat(path);
  if (stat === undefined) return 'nothing';
  const { kind, mode, owner, target } = stat;
  if (kind === 'link') return `-> ${target}`;
  const own = `${mode.toString(8)} ${owner.uid}`;
  if (kind === 'file') return `${await textAt(path)} ${own}`;
  const names = (await files.list(path)) ?? [];
  const inner = await Promise.all(names.map(async (name) => `${name}: ${await picture(`${path}/${name}`)}`));
  return `${own} {${inner.join(', ')}}`;
}

describe('HostFiles, where the disk fails a write,', () => {
  it.each<[DiskCall, DiskErrorCode, RegExp, string]>([
    ['create', 'EACCES', /^open \/etc\/\.conf\d{10}: permission denied$/, 'PermissionDenied'],
    ['create', 'EROFS', /^open \/etc\/\.conf\d{10}: read-only file system$/, 'ReadOnly'],
    ['setMode', 'EPERM', /^chmod \/etc\/\.conf\d{10}: operation not permitted$/, 'PermissionDenied'],
    ['write', 'ENOSPC', /^write \/etc\/\.conf\d{10}: no space left on device$/, 'NoSpace'],
    ['setOwner', 'EPERM', /^chown \/etc\/\.conf\d{10}: operation not permitted$/, 'PermissionDenied'],
    ['syncFile', 'EIO', /^sync \/etc\/\.conf\d{10}: input\/output error$/, 'InputOutput'],
    ['rename', 'EACCES', /^rename \/etc\/\.conf\d{10} \/etc\/conf: permission denied$/, 'PermissionDenied'],
  ])(
    'throws for %s with %s, and leaves the old file and nothing else',
    async (call, code, pattern, reason) => {
      await files.write('/etc/conf', OLD);
      disk.addFault({ path: '/rootfs/etc', code, calls: [call] });
      const failed = await failure(files.write('/etc/conf', NEW));
      expect(failed?.message).toMatch(pattern);
      expect(failed?.reason).toBe(reason);
      expect(await picture('/etc')).toBe('755 0 {conf: old 644 0}');
    },
  );

  it('throws with the same text for every attempt, also where the temporary name is taken', async () => {
    await files.makeFolder('/etc/conf', { mode: 0o755 });
    const attempt = async () => (await failure(files.write('/etc/conf', NEW)))?.message ?? '';
    const first = await attempt();
    expect(first).toMatch(/^rename \/etc\/\.conf\d{10} \/etc\/conf: file exists$/);
    expect(await attempt()).toBe(first);
    await files.link(first.split(' ')[1] ?? '', '/etc/elsewhere');
    expect(await attempt()).toMatch(/^rename \/etc\/\.conf\d{10} \/etc\/conf: file exists$/);
    expect(await files.stat('/etc/elsewhere')).toBeUndefined();
  });

  it('names the folder whose call failed', async () => {
    disk.addFault({ path: '/rootfs', code: 'EROFS', calls: ['makeFolder'] });
    expect((await failure(files.write('/a/b/c', NEW)))?.message).toBe('mkdir /a: read-only file system');
    const mend = disk.addFault({ path: '/rootfs', code: 'EIO', calls: ['syncFolder'] });
    expect((await failure(files.write('/c', NEW)))?.message).toBe('sync /: input/output error');
    mend();
  });

  it('leaves a temporary file where it cannot be removed, which is found later', async () => {
    await files.write('/etc/conf', OLD);
    const mends = (['rename', 'unlink'] as const).map((call) =>
      disk.addFault({ path: '/rootfs/etc', code: 'EIO', calls: [call] }),
    );
    expect((await failure(files.write('/etc/conf', NEW)))?.reason).toBe('InputOutput');
    expect(await files.list('/etc')).toHaveLength(2);
    for (const mend of mends) mend();
    expect(await files.removeTemporaryFiles(['/etc/conf'])).toBe(1);
    expect(await picture('/etc')).toBe('755 0 {conf: old 644 0}');
  });
});

describe('HostFiles, where the disk fails a read,', () => {
  it('throws', async () => {
    await files.write('/etc/conf', OLD);
    disk.addFault({ path: '/rootfs/etc/conf', code: 'EIO', calls: ['read', 'stat'] });
    expect((await failure(files.read('/etc/conf')))?.message).toBe('open /etc/conf: input/output error');
    expect((await failure(files.stat('/etc/conf')))?.message).toBe('lstat /etc/conf: input/output error');
  });
});

/** Each of them is done to the same beginning, and cut at every call; what is left must be one of the pictures. */
const OPERATIONS: readonly [string, (on: HostFiles) => Promise<unknown>, readonly string[]][] = [
  ['write', (on) => on.write('/w/conf', NEW), ['755 0 {conf: old 644 0}', '755 0 {conf: new 600 7}']],
  [
    'write of a new file',
    (on) => on.write('/w/a/b', NEW),
    [
      '755 0 {conf: old 644 0}',
      '755 0 {a: 755 0 {}, conf: old 644 0}',
      '755 0 {a: 755 0 {b: new 600 7}, conf: old 644 0}',
    ],
  ],
  ['link', (on) => on.link('/w/conf', '/x'), ['755 0 {conf: old 644 0}', '755 0 {conf: -> /x}']],
  ['copy', (on) => on.copy('/source', '/w/conf'), ['755 0 {conf: old 644 0}', '755 0 {conf: source 640 5}']],
  [
    'folder',
    (on) => on.makeFolder('/w/a', { mode: 0o700, owner: { uid: 5, gid: 5 } }),
    ['755 0 {conf: old 644 0}', '755 0 {a: 700 5 {}, conf: old 644 0}'],
  ],
  ['removal', (on) => on.remove('/w/conf'), ['755 0 {conf: old 644 0}', '755 0 {}']],
];

describe('a power cut', () => {
  it.each(OPERATIONS)(
    'leaves a %s done or not begun, at whichever call it comes',
    async (_, act, pictures) => {
      const seen = new Set<string>();
      let cuts = 0;
      const begin = async (): Promise<void> => {
        await files.removeFolder('/w');
        await files.write('/w/conf', OLD);
        await files.write('/source', { bytes: bytes('source'), mode: 0o640, owner: { uid: 5, gid: 5 } });
      };
      for (let call = 1; call < 100; call++) {
        let isOver = false;
        for (const when of ['before', 'within'] as const) {
          for (let seed = 0; seed < 12; seed++) {
            await begin();
            disk.planCut({ call, when, remains: seed === 0 ? 'nothing' : seededRandom(call * 100 + seed) });
            isOver = (await failure(act(files))) === undefined;
            cuts += isOver ? 0 : 1;
            if (isOver) disk.cutPower();
            disk.restorePower();
            await files.removeTemporaryFiles(['/w/conf', '/w/a', '/w/a/b']);
            const left = await picture('/w');
            expect(pictures).toContain(left);
            // What has returned is there, whatever happens next.
            if (isOver) expect(left).toBe(pictures.at(-1));
            seen.add(left);
          }
        }
        if (isOver) break;
      }
      expect([...seen].sort()).toEqual([...pictures].sort());
      expect(cuts).toBeGreaterThan(20);
    },
  );
});
