import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readInput } from './read-input.ts';

let cwd = '';

function write(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), contents);
}

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-input-'));
  write('b.yaml', 'b');
  write('a.json', 'a');
  write('sub/c.yml', 'c');
  write('sub/note.txt', 'not a manifest');
  write('.git/d.yaml', 'hidden');
  write('sub/.e.yaml', 'hidden');
  write('binary/x.yaml', new Uint8Array([0xff, 0xfe, 0x61, 0x00]));
  write('nothing/README.md', '');
  mkdirSync(join(cwd, 'folder.yaml'));
  write('folder.yaml/f.yaml', 'f');
  write('circle/a/1.yaml', '1');
  write('circle/2.yaml', '2');
  symlinkSync('..', join(cwd, 'circle/a/up'));
  symlinkSync('loop', join(cwd, 'loop'));
  write('dangling/ok.yaml', 'ok');
  symlinkSync('nowhere.yaml', join(cwd, 'dangling/gone.yaml'));
  symlinkSync('nowhere', join(cwd, 'dangling/gone'));
  write('linked/own.yaml', 'own');
  symlinkSync('../sub', join(cwd, 'linked/sub'));
  symlinkSync('../b.yaml', join(cwd, 'linked/b.yaml'));
});

afterAll(() => rmSync(cwd, { recursive: true }));

async function* bytes(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

const read = (...paths: readonly string[]) => readInput(paths, { cwd, stdin: bytes('st', 'din') });

describe('unusable input is reported and the rest is read', () => {
  test('for every path that is missing, empty or not text', async () => {
    expect(await read('nowhere', 'b.yaml', 'nothing', 'binary', 'b.yaml/x', 'loop')).toEqual({
      files: [{ name: 'b.yaml', text: 'b', isNamed: true }],
      unusable: [
        'nowhere: no such file or directory',
        'nothing: no manifests (*.yaml, *.yml, *.json) in this directory',
        'b.yaml/x: no such file or directory',
        'loop: too many levels of symbolic links',
        'binary/x.yaml: not UTF-8 text: save it as UTF-8',
      ],
    });
  });

  test('for a dangling symlink that looks like a manifest, but no other', async () => {
    expect(await read('dangling')).toEqual({
      files: [{ name: 'dangling/ok.yaml', text: 'ok', isNamed: false }],
      unusable: ['dangling/gone.yaml: no such file or directory'],
    });
  });

  test('for an endless stream', async () => {
    const endless = (async function* () {
      const chunk = new Uint8Array(1024 * 1024);
      for (;;) yield chunk;
    })();
    expect(await readInput(['-'], { cwd, stdin: endless })).toEqual({
      files: [],
      unusable: ['stdin: more than 48 MiB: split the file'],
    });
  });
});

describe('readInput', () => {
  test('a directory is searched recursively in order, without hidden files', async () => {
    expect(await read('.')).toMatchObject({
      files: expect.arrayContaining([{ name: 'folder.yaml/f.yaml', text: 'f', isNamed: false }]),
    });
    expect((await read('sub', 'folder.yaml', 'a.json')).files).toEqual([
      { name: 'sub/c.yml', text: 'c', isNamed: false },
      { name: 'folder.yaml/f.yaml', text: 'f', isNamed: false },
      { name: 'a.json', text: 'a', isNamed: true },
    ]);
    const { files } = await read('.');
    expect(files.slice(0, 2).map(({ name }) => name)).toEqual(['a.json', 'b.yaml']);
    expect(files.filter(({ text }) => text === 'hidden')).toEqual([]);
  });

  test('cyclic symlinks are followed once', async () => {
    expect((await read('circle')).files.map(({ name }) => name)).toEqual([
      'circle/2.yaml',
      'circle/a/1.yaml',
    ]);
  });

  test('symlinks are followed', async () => {
    const { files } = await read('linked');
    expect(files.slice(0, 3)).toEqual([
      { name: 'linked/b.yaml', text: 'b', isNamed: false },
      { name: 'linked/own.yaml', text: 'own', isNamed: false },
      { name: 'linked/sub/c.yml', text: 'c', isNamed: false },
    ]);
  });

  test('a file is read whatever its name', async () => {
    const { files } = await read('sub/note.txt');
    expect(files).toEqual([{ name: 'sub/note.txt', text: 'not a manifest', isNamed: true }]);
  });

  test('an absolute path keeps its name', async () => {
    const name = join(cwd, 'b.yaml');
    expect((await read(name)).files).toEqual([{ name, text: 'b', isNamed: true }]);
  });

  test('stdin is read once', async () => {
    expect((await read('-', 'b.yaml', '-')).files).toEqual([
      { name: 'stdin', text: 'stdin', isNamed: true },
      { name: 'b.yaml', text: 'b', isNamed: true },
    ]);
  });
});
