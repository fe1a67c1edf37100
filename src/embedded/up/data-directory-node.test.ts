/** What lies in the data directory beside objects and machines: what is stored, the logs, and how it is forgotten. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeFolderOf } from '../apiserver/data-dir-node.ts';
import { openStore } from '../apiserver/store/store-node.ts';
import { BoundedFile } from './bounded-file-node.ts';
import { readClusterFile, writeClusterFile } from './cluster-file-node.ts';
import { deleteCluster } from './delete-cluster-node.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('cluster.json', () => {
  it.each(['', '{', '[]', 'null', '{"wasReady":"yes","registryPort":"x","machines":["../etc",1]}'])(
    'is ignored if it is %j',
    (text) => {
      writeFileSync(join(folder, 'cluster.json'), text);
      expect(readClusterFile(folder)).toEqual({ wasReady: false, machines: [] });
    },
  );

  it('is read as it was written', () => {
    expect(readClusterFile(folder)).toEqual({ wasReady: false, machines: [] });
    writeClusterFile(folder, { wasReady: true, registryPort: 5001, machines: ['master-0', 'worker-10'] });
    expect(readClusterFile(folder)).toEqual({
      wasReady: true,
      registryPort: 5001,
      machines: ['master-0', 'worker-10'],
    });
  });
});

describe('BoundedFile', () => {
  it('is rotated at its limit', async () => {
    const path = join(folder, 'log');
    const file = new BoundedFile(path);
    const megabyte = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let count = 0; count < 12; count++) file.write(megabyte);
    file.write('last\n');
    expect(readFileSync(path, 'utf8').endsWith('last\n')).toBe(true);
    expect(readFileSync(path).length + readFileSync(`${path}.1`).length).toBe(12 * 1024 * 1024 + 5);
    await file.close();
    file.write('too late\n');
    expect(readFileSync(path, 'utf8')).not.toContain('too late');
  });

  it('ignores write errors', () => {
    const file = new BoundedFile(join(folder, 'nowhere', 'log'));
    expect(() => file.write('x')).not.toThrow();
  });
});

describe('deleteCluster', () => {
  it('rejects a foreign directory', async () => {
    writeFileSync(join(folder, 'thesis.txt'), 'mine');
    await expect(deleteCluster(folder, {})).rejects.toThrow('is not a data directory of Millwright');
    expect(existsSync(join(folder, 'thesis.txt'))).toBe(true);
  });

  it('is rejected while the directory is in use', async () => {
    const store = openStore({ folder: storeFolderOf(folder) });
    try {
      await expect(deleteCluster(folder, {})).rejects.toMatchObject({ reason: 'StoreInUse' });
    } finally {
      await store.close();
    }
    expect(existsSync(storeFolderOf(folder))).toBe(true);
  });

  it('removes known files only, including directories without permissions', async () => {
    await openStore({ folder: storeFolderOf(folder) }).close();
    const closed = join(folder, 'nodes', 'worker-0', 'rootfs', 'closed');
    mkdirSync(closed, { recursive: true });
    writeFileSync(join(closed, 'file'), '');
    chmodSync(closed, 0o000);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await deleteCluster(folder, {});
    expect(['nodes', 'apiserver', 'notes.txt'].filter((name) => existsSync(join(folder, name)))).toEqual([
      'notes.txt',
    ]);
  });
});
