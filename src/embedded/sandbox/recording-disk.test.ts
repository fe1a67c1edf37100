import { beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../test/support/virtual-env.ts';
import type { Disk } from '../../node/host/disk.ts';
import type { HostFiles } from '../../node/host/host.ts';
import { createHostFiles } from '../../node/host/host-files.ts';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts';
import { createRecordingDisk } from './recording-disk.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const CORE = { uid: 1000, gid: 1001 };

let memory: MemoryDisk;
let disk: Disk;
let files: HostFiles;

/** As after a new start of the process. */
function open(): void {
  disk = createRecordingDisk({ disk: memory, records: '/owners', random: seededRandom(2) });
  files = createHostFiles({ disk, root: '/rootfs', random: seededRandom(1), isPackaged: async () => false });
}

beforeEach(async () => {
  memory = createMemoryDisk();
  await memory.makeFolder('/rootfs', 0o755);
  await memory.syncFolder('/');
  open();
});

const shown = async (path: string) => {
  const stat = await files.stat(path);
  return `${stat?.mode.toString(8)} ${stat?.owner.uid}:${stat?.owner.gid}`;
};

describe('attributes that only root could set', () => {
  it('are reported without being set, also after a restart', async () => {
    await files.write('/etc/shadow', { bytes: bytes('x'), mode: 0o000 });
    await files.write('/etc/mine', { bytes: bytes('x'), mode: 0o640, owner: CORE });
    await disk.setMode('/rootfs/etc/mine', 0o4750);
    for (const again of [false, true]) {
      if (again) open();
      expect(await shown('/etc/shadow')).toBe('0 0:0');
      expect(await shown('/etc/mine')).toBe('4750 1000:1001');
    }
    expect(await memory.stat('/rootfs/etc/shadow')).toMatchObject({ mode: 0o600, owner: { uid: 0, gid: 0 } });
    expect(await memory.stat('/rootfs/etc/mine')).toMatchObject({ mode: 0o750, owner: { uid: 0, gid: 0 } });
  });

  it('move and are removed with files and directories', async () => {
    await files.write('/a/b/c', { bytes: bytes('x'), mode: 0o600, owner: CORE });
    await disk.rename({ from: '/rootfs/a', to: '/rootfs/z' });
    expect(await shown('/z/b/c')).toBe('600 1000:1001');
    await files.remove('/z/b/c');
    await files.write('/z/b/c', { bytes: bytes('x'), mode: 0o600 });
    expect(await shown('/z/b/c')).toBe('600 0:0');
  });

  it('stay with a path whose file was replaced from outside', async () => {
    await files.write('/a', { bytes: bytes('x'), mode: 0o600, owner: CORE });
    await memory.create('/rootfs/.editor', 0o644);
    await memory.rename({ from: '/rootfs/.editor', to: '/rootfs/a' });
    open();
    expect(await shown('/a')).toBe('644 1000:1001');
  });
});

describe('a power cut', () => {
  it('never shows one file with the owner of another', async () => {
    const writes = [
      () => files.write('/a', { bytes: bytes('core'), mode: 0o000, owner: CORE }),
      () => files.write('/a', { bytes: bytes('root'), mode: 0o644, owner: { uid: 0, gid: 0 } }),
    ];
    let cuts = 0;
    for (const [which, write] of writes.entries()) {
      for (let round = 0; round < 12; round++) {
        for (let call = 1; call < 200; call++) {
          await writes[1 - which]?.();
          const remains = round < 2 ? 'nothing' : seededRandom(call * 100 + round);
          memory.planCut({ call, when: round % 2 === 0 ? 'before' : 'within', remains });
          const isCut = await write().then(
            () => false,
            () => true,
          );
          memory.planCut(undefined);
          memory.restorePower();
          open();
          const text = new TextDecoder().decode(await files.read('/a'));
          expect([round, call, text, await shown('/a')]).toEqual(
            text === 'core' ? [round, call, 'core', '0 1000:1001'] : [round, call, 'root', '644 0:0'],
          );
          if (!isCut) break;
          cuts += 1;
        }
      }
    }
    expect(cuts).toBeGreaterThan(300);
  });
});
