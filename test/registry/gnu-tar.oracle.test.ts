/** Archives of GNU tar and ours, each read by the other. */
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeLayers, type TarItem, untar, writeTar } from '../../src/images/index.ts';
import { lacks, ok, run } from './tools.ts';

/** Fits in the old header, in two parts. */
const SPLIT = `${'part-of-a-path/'.repeat(10)}file`;
const LONG = `${'long-folder-name/'.repeat(12)}${'f'.repeat(150)}`;

// Other systems have another tar under this name.
const isGnu = (await run('tar', ['--version'])).stdout.includes('GNU tar');

describe.skipIf(lacks('tar', 'mkfifo') || !isGnu)('GNU tar', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-tar-'));
    const source = join(folder, 'source');
    await mkdir(join(source, 'empty'), { recursive: true });
    await mkdir(join(source, LONG, '..'), { recursive: true });
    await mkdir(join(source, SPLIT, '..'), { recursive: true });
    await writeFile(join(source, SPLIT), 'split');
    await writeFile(join(source, 'plain'), 'plain\n');
    await writeFile(join(source, 'ümlaut'), 'ü');
    await writeFile(join(source, LONG), 'x'.repeat(5_000));
    await writeFile(join(source, 'nothing'), '');
    await chmod(join(source, 'plain'), 0o750);
    await link(join(source, LONG), join(source, 'other-name'));
    await symlink('plain', join(source, 'short-link'));
    await symlink(`/${LONG}`, join(source, 'long-link'));
    await ok('mkfifo', [join(source, 'pipe')]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(['gnu', 'pax', 'posix', 'ustar', 'oldgnu'])('writes %s archives that we read', async (format) => {
    const archive = join(folder, `${format}.tar`);
    // The old format has no room for the longest names.
    const excluded = format === 'ustar' ? ['--exclude=long-*', '--exclude=other-name'] : [];
    const owner = ['--owner=1234567', format === 'ustar' ? '--group=1234568' : '--group=7654321'];
    await ok('tar', [
      '-C',
      join(folder, 'source'),
      `--format=${format}`,
      ...owner,
      ...excluded,
      '-cf',
      archive,
      '.',
    ]);
    const entries = untar(new Uint8Array(await readFile(archive)));
    if (entries.kind === 'invalid') throw new Error(JSON.stringify(entries.problems));
    const tree = mergeLayers([entries.value]);
    if (tree.kind === 'invalid') throw new Error(JSON.stringify(tree.problems));
    const content = (path: string) => {
      const entry = tree.value.get(path);
      return entry?.kind === 'file' ? new TextDecoder().decode(entry.content) : entry?.kind;
    };
    expect(tree.value.get('plain')).toMatchObject({ mode: 0o750, uid: 1_234_567 });
    expect(tree.value.get('plain')?.gid).toBe(format === 'ustar' ? 1_234_568 : 7_654_321);
    expect(content('plain')).toBe('plain\n');
    expect([content('ümlaut'), content(SPLIT)]).toEqual(['ü', 'split']);
    expect([content('nothing'), content('empty'), content('pipe')]).toEqual(['', 'folder', 'special']);
    expect(tree.value.get('short-link')).toMatchObject({ kind: 'symlink', target: 'plain' });
    if (format === 'ustar') return;
    expect([content(LONG)?.length, content('other-name')?.length]).toEqual([5_000, 5_000]);
    expect(tree.value.get('long-link')).toMatchObject({ kind: 'symlink', target: `/${LONG}` });
  });

  it('reads what we write', async () => {
    const text = (value: string) => new TextEncoder().encode(value);
    const mtime = 1_767_225_600;
    const items: readonly TarItem[] = [
      { kind: 'folder', path: 'd', mode: 0o755, mtime },
      { kind: 'file', path: 'd/ü', mode: 0o640, mtime, content: text('ü'.repeat(1_000)) },
      { kind: 'file', path: LONG, mode: 0o755, mtime, content: text('long') },
      { kind: 'symlink', path: 'l', mode: 0o777, mtime, target: `/${LONG}` },
      { kind: 'hardlink', path: 'h', mode: 0o755, mtime, target: LONG },
    ];
    const [archive, target] = [join(folder, 'ours.tar'), join(folder, 'target')];
    await writeFile(archive, writeTar(items));
    await mkdir(target);
    await ok('tar', ['-C', target, '-xpf', archive]);
    expect(await readFile(join(target, 'd/ü'), 'utf8')).toBe('ü'.repeat(1_000));
    expect(await readFile(join(target, 'h'), 'utf8')).toBe('long');
    expect(await readlink(join(target, 'l'))).toBe(`/${LONG}`);
    const { mode, mtimeMs, nlink } = await stat(join(target, LONG));
    expect([mode & 0o777, mtimeMs, nlink]).toEqual([0o755, mtime * 1000, 2]);
    expect(((await stat(join(target, 'd/ü'))).mode & 0o777).toString(8)).toBe('640');
  });
});
