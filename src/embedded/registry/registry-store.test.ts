import fs, { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMemoryRegistryStore } from './memory-registry-store.ts';
import type { RegistryStore } from './registry-store.ts';
import { describeRegistryStore } from './registry-store-contract.ts';
import { openRegistryStore } from './registry-store-node.ts';

const folders: string[] = [];
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-store-'));
  folders.push(folder);
  return folder;
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describeRegistryStore('the store in memory', async () => createMemoryRegistryStore());
describeRegistryStore('the store in a folder', async () =>
  openRegistryStore(join(await newFolder(), 'deep', 'er')),
);

describe('the directory store after reopening', () => {
  it('has all confirmed content, and nothing in progress', async () => {
    const folder = await newFolder();
    const store = await openRegistryStore(folder);
    await store.putRecord('r/a/_tags/v1', 'x');
    await store.createUpload('abc');
    await mkdir(join(folder, 'new'), { recursive: true });
    await writeFile(join(folder, 'new', '99'), 'half of');
    const again = await openRegistryStore(folder);
    expect(await again.getRecord('r/a/_tags/v1')).toBe('x');
    expect(await again.uploadSize('abc')).toBeUndefined();
    expect([await readdir(join(folder, 'new')), await readdir(join(folder, 'uploads'))]).toEqual([[], []]);
  });

  it.each(['../x', 'a/../b', 'a//b', '.hidden', '/etc/passwd', ''])(
    'rejects the record key %j',
    async (key) => {
      const store = await openRegistryStore(await newFolder());
      await expect(store.putRecord(key, 'x')).rejects.toThrow('internal error: record keys');
    },
  );
});

/** What is done to the disk, as far as it decides what a power cut leaves. */
type Deed =
  | { readonly kind: 'flush' | 'unlink' | 'folder'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string };

/** Listens to what the system is asked for meanwhile; everything is really done. */
async function deedsOf(work: () => Promise<unknown>): Promise<readonly Deed[]> {
  const { open, rename, unlink, mkdir: makeFolder } = fs;
  const deeds: Deed[] = [];
  Object.assign(fs, {
    open: async (...args: Parameters<typeof open>) => {
      const handle = await open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        await sync();
        deeds.push({ kind: 'flush', path: String(args[0]) });
      };
      return handle;
    },
    rename: async (from: string, to: string) => {
      await rename(from, to);
      deeds.push({ kind: 'rename', path: from, to });
    },
    unlink: async (path: string) => {
      await unlink(path);
      deeds.push({ kind: 'unlink', path });
    },
    mkdir: async (path: string, options: { readonly recursive: true }) => {
      const first = await makeFolder(path, options);
      for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made)) {
        deeds.push({ kind: 'folder', path: made });
      }
      return first;
    },
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { open, rename, unlink, mkdir: makeFolder });
    syncBuiltinESMExports();
  }
  return deeds;
}

/** What a power cut after these deeds could undo, or leave half done. */
function atRisk(deeds: readonly Deed[]): readonly string[] {
  const isFlushed = (path: string, among: readonly Deed[]) =>
    among.some((deed) => deed.kind === 'flush' && deed.path === path);
  return deeds.flatMap((deed, number) => {
    if (deed.kind === 'flush') return [];
    const place = deed.kind === 'rename' ? deed.to : deed.path;
    const lasts = isFlushed(dirname(place), deeds.slice(number + 1));
    const isWhole = deed.kind !== 'rename' || isFlushed(deed.path, deeds.slice(0, number));
    return lasts && isWhole ? [] : [`${deed.kind} ${place}`];
  });
}

describe('the directory store after a power failure', () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const digest = 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
  const id = 'abc';

  it.each<[string, (store: RegistryStore) => Promise<unknown>, number]>([
    ['a blob', (store) => store.putBlob(digest, text('hello')), 1],
    ['a record', (store) => store.putRecord('r/a/b/c', 'x'), 3],
    ['that a record is gone', (store) => store.removeRecord('r/old'), 1],
    ['that a blob is gone', (store) => store.removeBlob(digest), 1],
    ['an upload', (store) => store.commitUpload(id, digest), 1],
  ])('keeps %s that was confirmed', async (_, work, count) => {
    const store = await openRegistryStore(await newFolder());
    await store.putRecord('r/old', 'x');
    await store.putBlob(digest, text('hello'));
    await store.createUpload(id);
    await store.appendUpload(
      id,
      (async function* () {
        yield text('hello');
      })(),
    );
    const deeds = await deedsOf(() => work(store));
    expect(deeds.filter(({ kind }) => kind !== 'flush').length).toBeGreaterThanOrEqual(count);
    expect(atRisk(deeds)).toEqual([]);
  });

  it('keeps its directories', async () => {
    const folder = join(await newFolder(), 'a', 'b');
    const deeds = await deedsOf(() => openRegistryStore(folder));
    expect(deeds.length).toBeGreaterThan(10);
    expect(atRisk(deeds)).toEqual([]);
  });
});
