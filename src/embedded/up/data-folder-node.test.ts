/** What lies in the data directory beside objects and machines: what is remembered, the logs, and how it is forgotten. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeFolderOf } from '../apiserver/data-dir-node.ts';
import { openStore } from '../apiserver/store/store-node.ts';
import { BoundedFile } from './bounded-file-node.ts';
import { readClusterFile, writeClusterFile } from './cluster-file-node.ts';
import { forgetCluster } from './fresh-start-node.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what a cluster remembers', () => {
  it.each(['', '{', '[]', 'null', '{"wasReady":"yes","registryPort":"x","machines":["../etc",1]}'])(
    '%j tells nothing',
    (text) => {
      writeFileSync(join(folder, 'cluster.json'), text);
      expect(readClusterFile(folder)).toEqual({ wasReady: false, machines: [] });
    },
  );

  it('is what was written', () => {
    expect(readClusterFile(folder)).toEqual({ wasReady: false, machines: [] });
    writeClusterFile(folder, { wasReady: true, registryPort: 5001, machines: ['master-0', 'worker-10'] });
    expect(readClusterFile(folder)).toEqual({
      ...{ wasReady: true, registryPort: 5001, machines: ['master-0', 'worker-10'] },
    });
  });
});

describe('a log', () => {
  it('does not grow beyond its limit, and keeps what came before', async () => {
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

  it('that cannot be written stops nobody', () => {
    const file = new BoundedFile(join(folder, 'nowhere', 'log'));
    expect(() => file.write('x')).not.toThrow();
  });
});

describe('a fresh start', () => {
  it('touches no folder that is something else', async () => {
    writeFileSync(join(folder, 'thesis.txt'), 'mine');
    await expect(forgetCluster(folder)).rejects.toThrow('holds nothing of Millwright');
    expect(existsSync(join(folder, 'thesis.txt'))).toBe(true);
  });

  it('is refused while somebody uses the folder', async () => {
    const store = openStore({ folder: storeFolderOf(folder) });
    try {
      await expect(forgetCluster(folder)).rejects.toMatchObject({ reason: 'StoreInUse' });
    } finally {
      await store.close();
    }
    expect(existsSync(storeFolderOf(folder))).toBe(true);
  });

  it('removes what is ours, also folders that nobody may look into, and nothing else', async () => {
    await openStore({ folder: storeFolderOf(folder) }).close();
    const closed = join(folder, 'nodes', 'worker-0', 'rootfs', 'closed');
    mkdirSync(closed, { recursive: true });
    writeFileSync(join(closed, 'file'), '');
    chmodSync(closed, 0o000);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await forgetCluster(folder);
    expect(['nodes', 'apiserver', 'notes.txt'].filter((name) => existsSync(join(folder, name)))).toEqual([
      'notes.txt',
    ]);
  });
});
