import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, describe, expect, it } from 'vitest';
import type { Store } from './store.ts';
import { storeContract } from './store-contract.ts';
import { openStore } from './store-node.ts';

const base = mkdtempSync(join(tmpdir(), 'millwright-store-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => join(base, `${folders++}.d`);
const folderOf = new WeakMap<Store, string>();

/** Without waiting for the disk, which the contract does not ask about. */
function inFolder(folder: string, limits?: Parameters<typeof openStore>[0]['limits']): Store {
  const store = openStore({ folder, fsync: false, ...(limits && { limits }) });
  folderOf.set(store, folder);
  return store;
}

describe('the persistent store', () => {
  storeContract(
    {
      create: (limits) => inFolder(newFolder(), limits),
      reopen: async (store, limits) => {
        await store.close();
        return inFolder(folderOf.get(store) ?? '', limits);
      },
    },
    60,
  );
});

const aWrite = { kind: 'put', key: 'a', expect: 'any', value: new Uint8Array([1, 2, 3]) } as const;

/** A folder with a store of one entry, closed. */
async function aFolder(): Promise<string> {
  const folder = newFolder();
  const store = openStore({ folder });
  await store.commit([aWrite]);
  await store.close();
  return folder;
}

const holders = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('holder-'));
const refusal = (folder: string) => {
  try {
    openStore({ folder });
  } catch (error) {
    return error;
  }
  throw new Error('it was opened');
};

describe('openStore', () => {
  it.each<[string, string, (data: string) => void | Promise<void>]>([
    ['a foreign file', 'StoreDamaged', (data) => writeFileSync(data, 'x'.repeat(50_000))],
    ['a file that is truncated', 'StoreDamaged', (data) => truncateSync(data, 12_288)],
    ['a short foreign file', 'StoreDamaged', (data) => writeFileSync(data, 'x')],
    ['a folder where the file should be', 'StoreUnusable', (data) => replaceByFolder(data)],
    ['a store of a later version', 'StoreFormatUnknown', (data) => edit(data, 'format', 2)],
    ['a store without a format', 'StoreDamaged', (data) => edit(data, 'format', undefined)],
    ['a store whose revision went backwards', 'StoreDamaged', (data) => edit(data, 'state', 0)],
    ['a store without a revision', 'StoreDamaged', (data) => edit(data, 'state', undefined)],
  ])('rejects %s and releases the directory', async (_, reason, spoil) => {
    const folder = await aFolder();
    await spoil(join(folder, 'data.mdb'));
    const error = refusal(folder);
    expect(error).toMatchObject({ name: 'Failure', kind: 'stalled', reason });
    expect(String(error)).toContain(folder);
    expect(holders(folder)).toEqual([]);
  });

  it('rejects a directory that cannot be created', async () => {
    const folder = await aFolder();
    expect(refusal(join(folder, 'data.mdb', 'below'))).toMatchObject({ reason: 'StoreUnusable' });
  });

  it('recreates a file that was never finished', async () => {
    const folder = await aFolder();
    const data = join(folder, 'data.mdb');
    for (const size of [readFileSync(data).readUInt32LE(48), 0]) {
      truncateSync(data, size);
      const store = openStore({ folder });
      expect(store.revision()).toBe(0);
      expect(await store.commit([aWrite])).toEqual({ kind: 'committed', revision: 1 });
      await store.close();
    }
  });

  it('creates the directory, for the owner only', () => {
    const folder = join(newFolder(), 'below');
    const store = openStore({ folder });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    return store.close();
  });

  it('restores state and log', async () => {
    const folder = await aFolder();
    const store = openStore({ folder });
    expect(store.get('a')).toEqual({ key: 'a', value: new Uint8Array([1, 2, 3]), revision: 1 });
    const heard: number[] = [];
    store.subscribe({ prefix: '', from: 0 }, ({ revision }) => heard.push(revision));
    await store.commit([{ kind: 'delete', key: 'a', expect: 1 }]);
    expect(heard).toEqual([1, 2]);
    await store.close();
  });
});

it('reuses the space of compacted events', async () => {
  const folder = newFolder();
  const store = inFolder(folder, { events: 5, bytes: 10 ** 9 });
  for (let turn = 0; turn < 200; turn++) {
    await store.commit([{ ...aWrite, value: new Uint8Array(20_000) }]);
    await store.commit([{ kind: 'delete', key: 'a', expect: 'any' }]);
  }
  await store.close();
  expect(statSync(join(folder, 'data.mdb')).size).toBeLessThan(1_000_000);
});

/** Changes one number of the store's own records behind its back. */
async function edit(data: string, key: string, number: number | undefined): Promise<void> {
  const root = open({ path: join(data, '..'), noSubdir: false, overlappingSync: false });
  const meta = root.openDB<Uint8Array, Uint8Array>({
    name: 'meta',
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  const name = Buffer.from(key);
  const bytes = Buffer.from(meta.get(name) ?? []);
  if (number === undefined) await meta.remove(name);
  else {
    bytes.writeUInt32BE(number, 4);
    await meta.put(name, bytes);
  }
  await root.close();
}

function replaceByFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

/** Where processes can be distinguished by their start time. */
const isLinux = existsSync('/proc/self/stat');

describe('the lock of the directory', () => {
  it('is exclusive, even within a process', async () => {
    const folder = newFolder();
    const store = openStore({ folder });
    expect(refusal(folder)).toMatchObject({ kind: 'stalled', reason: 'StoreInUse' });
    expect(await store.commit([aWrite])).toMatchObject({ kind: 'committed' });
    await store.close();
    expect(holders(folder)).toEqual([]);
    await openStore({ folder }).close();
  });

  it.skipIf(!isLinux)('is respected while the holder lives, and ends with it', async () => {
    const folder = await aFolder();
    const child = spawn('sleep', ['1000']);
    const { pid } = child;
    const start = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[21];
    writeFileSync(join(folder, `holder-${pid}-${start}`), '');
    expect(refusal(folder)).toMatchObject({
      reason: 'StoreInUse',
      message: expect.stringContaining(`${pid}`),
    });
    expect(holders(folder)).toEqual([`holder-${pid}-${start}`]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = openStore({ folder });
    expect(holders(folder)).toEqual([expect.stringContaining(`holder-${process.pid}-`)]);
    await store.close();
  });

  it.skipIf(!isLinux).each([
    ['a process that is gone', () => spawnSync('true').pid],
    ['a process whose number another has now', () => process.ppid],
  ])('takes over from %s', async (_, pid) => {
    const folder = await aFolder();
    writeFileSync(join(folder, `holder-${pid()}-1`), '');
    const store = openStore({ folder });
    expect(holders(folder)).toHaveLength(1);
    await store.close();
  });

  it('ignores other files', async () => {
    const folder = await aFolder();
    for (const name of ['holder-', 'holder-0-1', 'holder-x-1', 'notes'])
      writeFileSync(join(folder, name), '');
    await openStore({ folder }).close();
    expect(
      ['holder-', 'holder-0-1', 'holder-x-1', 'notes'].every((name) => existsSync(join(folder, name))),
    ).toBe(true);
  });
});
