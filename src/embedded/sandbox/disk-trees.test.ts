import { expect, it } from 'vitest';
import { readTree, replaceTree, writeTree } from './disk-trees.ts';
import { createMemoryDisk } from './memory-disk.ts';

const file = (text: string) =>
  ({ kind: 'file', bytes: new TextEncoder().encode(text), mode: 0o644 }) as const;

it('a folder with contents can become a link, and a link a folder, in the next version of a tree', async () => {
  const disk = createMemoryDisk();
  const withFolder = new Map([['/local/sbin/tool', file('1')]]);
  const withLink = new Map([['/local', { kind: 'link', target: '../var/usrlocal' } as const]]);
  await writeTree(disk, '/usr', withFolder);
  await replaceTree(disk, '/usr', withLink);
  expect([...(await readTree(disk, '/usr')).entries()]).toMatchObject([
    ['/local', { kind: 'link', target: '../var/usrlocal' }],
  ]);
  await replaceTree(disk, '/usr', withFolder);
  expect([...(await readTree(disk, '/usr')).keys()]).toEqual(['/local', '/local/sbin', '/local/sbin/tool']);
});
