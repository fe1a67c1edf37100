import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { digestOf } from './digest.ts';
import { mergeLayers } from './file-tree.ts';
import { type TarItem, writeTar } from './tar.ts';
import { unpackLayers } from './unpack-layer.ts';
import { type TarEntry, untar } from './untar.ts';

const text = (value: string) => new TextEncoder().encode(value);
const file = (path: string, content = path, mode = 0o644): TarItem => ({
  kind: 'file',
  path,
  content: text(content),
  mode,
  mtime: 1,
});
const folder = (path: string): TarItem => ({ kind: 'folder', path, mode: 0o755, mtime: 1 });
const symlink = (path: string, target: string): TarItem => ({
  kind: 'symlink',
  path,
  target,
  mode: 0o777,
  mtime: 1,
});
const hardlink = (path: string, target: string): TarItem => ({
  kind: 'hardlink',
  path,
  target,
  mode: 0o644,
  mtime: 1,
});

function entriesOf(items: readonly TarItem[]): readonly TarEntry[] {
  const outcome = untar(writeTar(items));
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value;
}

function problemOf(bytes: Uint8Array): string {
  const outcome = untar(bytes);
  return outcome.kind === 'invalid' ? (outcome.problems[0]?.message ?? '') : 'nothing is wrong';
}

/** Changes a field of the first header and mends its sum. */
function changed(bytes: Uint8Array, at: number, value: string): Uint8Array {
  const copy = bytes.slice();
  copy.set(text(value), at);
  copy.fill(0x20, 148, 156);
  const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  copy.set(text(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
  return copy;
}

describe('untar', () => {
  it.each([
    ['a path with ..', file('a/../../etc/passwd'), 'leads out with ..'],
    ['an absolute path', file('/etc/passwd'), 'the path is absolute'],
    ['a path of two dots', file('..'), 'leads out with ..'],
    ['a part that is too long', file('x'.repeat(256)), 'a part of the path is too long'],
    ['a path that is too long', file('abc/'.repeat(1_100)), 'the path is too long'],
    ['a link that climbs out', symlink('a/b', '../../etc'), 'leads out of the root'],
    ['a link that climbs out from the root', symlink('a', '/../etc'), 'leads out of the root'],
    ['a link that climbs out on its way', symlink('a/b', '../../c/../a'), 'leads out of the root'],
    ['a link to nothing', symlink('a', ''), 'its target is empty'],
    ['a hard link with ..', hardlink('a', '../b'), 'its target: "../b": the path leads out with ..'],
    [
      'an absolute hard link',
      hardlink('a', '/etc/shadow'),
      'its target: "/etc/shadow": the path is absolute',
    ],
  ])('rejects %s', (_, item, why) => {
    expect(problemOf(writeTar([item]))).toContain(why);
  });

  it.each([
    [
      'a damaged header',
      writeTar([file('a')]).map((byte, at) => (at === 3 ? 1 : byte)),
      'the header is damaged',
    ],
    ['an end within a header', writeTar([file('a')]).subarray(0, 300), 'ends within a header'],
    ['an end within a file', writeTar([file('a', 'x'.repeat(600))]).subarray(0, 1_000), 'ends within a file'],
    ['a sparse file', changed(writeTar([file('a')]), 156, 'S'), 'entries of type "S" are not supported'],
    ['a size that is none', changed(writeTar([file('a')]), 124, 'x'), 'the size is not a number'],
    ['an owner that is none', changed(writeTar([file('a')]), 108, 'x'), 'not a number'],
  ])('rejects %s', (_, bytes, why) => {
    expect(problemOf(bytes)).toContain(why);
  });

  it('rejects names that are not UTF-8, in old and extended headers', () => {
    const old = writeTar([file('ab')]);
    old[0] = 0xff;
    expect(problemOf(changed(old, 100, '0'))).toBe('a name is not UTF-8');
    const extended = writeTar([file(`${'a'.repeat(120)}`)]);
    extended[512 + 20] = 0xff;
    expect(problemOf(extended)).toBe('a name is empty, or not UTF-8');
  });

  it.each(['0 path=a\n', '999999 path=a\n', '9 path=ab\n', 'x path=a\n', '9 pathab\n', '10 path=a'])(
    'refuses the extended header %j',
    (records) => {
      const bytes = changed(writeTar([{ ...file('h', records) }, file('a')]), 156, 'x');
      expect(problemOf(bytes)).toBe('an extended header is damaged');
    },
  );

  it('rejects more entries than the limit', () => {
    const outcome = untar(writeTar([file('a'), file('b')]), { entries: 1, headerBytes: 1024 });
    expect(outcome.kind).toBe('invalid');
  });

  it('reads what writeTar writes, including long and unusual names', () => {
    const long = `${'folder/'.repeat(40)}file`;
    const items = [
      folder('a'),
      file('a/ü', 'ü', 0o4755),
      file(long),
      symlink('l', 'x'.repeat(300)),
      hardlink('h', long),
    ];
    expect(entriesOf(items)).toMatchObject([
      { kind: 'folder', path: 'a' },
      { kind: 'file', path: 'a/ü', content: text('ü'), mode: 0o4755, uid: 0, gid: 0, mtime: 1 },
      { kind: 'file', path: long },
      { kind: 'symlink', path: 'l', target: 'x'.repeat(300) },
      { kind: 'hardlink', path: 'h', target: long },
    ]);
  });

  it('normalizes paths', () => {
    expect(entriesOf([file('./a//b/./c'), folder('.')]).map(({ path }) => path)).toEqual(['a/b/c', '']);
  });

  it('does not throw for any bytes', () => {
    const valid = writeTar([folder('a'), file('a/b'), symlink('c', 'a'), file('x'.repeat(150))]);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(valid.length),
        (changes, length) => {
          const bytes = valid.slice(0, length);
          for (const [at, value] of changes) bytes[at] = value;
          const outcome = untar(bytes);
          if (outcome.kind === 'ok') mergeLayers([outcome.value]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('mergeLayers', () => {
  function tree(...layers: readonly (readonly TarItem[])[]): Record<string, string> {
    const outcome = mergeLayers(layers.map(entriesOf));
    if (outcome.kind === 'invalid') throw new Error(outcome.problems[0]?.message);
    return Object.fromEntries(
      [...outcome.value].map(([path, entry]) => [
        path,
        entry.kind === 'file' ? new TextDecoder().decode(entry.content) : entry.kind,
      ]),
    );
  }

  it('rejects a hard link to a missing file', () => {
    expect(() => tree([hardlink('a', 'b')])).toThrow('which is not there');
  });

  it('rejects a file below a file', () => {
    expect(() => tree([file('a'), file('a/b')])).toThrow('a is not a folder');
  });

  it('rejects circular links', () => {
    expect(() => tree([symlink('a', 'b'), symlink('b', 'a'), file('a/c')])).toThrow('too many links');
  });

  it('applies a layer over those below it', () => {
    expect(tree([file('a', '1'), file('d/b', '1')], [file('a', '2'), file('d/c', '2')])).toEqual({
      a: '2',
      d: 'folder',
      'd/b': '1',
      'd/c': '2',
    });
  });

  it('removes the path of a whiteout, and everything below it', () => {
    expect(tree([file('d/a'), file('d/b/c'), file('e')], [file('d/.wh.b', ''), file('.wh.e', '')])).toEqual({
      d: 'folder',
      'd/a': 'd/a',
    });
  });

  it('applies whiteouts to lower layers only, independent of their position', () => {
    const upper = [file('d/new', 'new'), file('d/.wh..wh..opq', ''), file('f/x', 'x'), file('.wh.f', '')];
    expect(tree([file('d/old'), file('f/y')], upper)).toEqual({
      d: 'folder',
      'd/new': 'new',
      f: 'folder',
      'f/x': 'x',
    });
  });

  it('ignores a whiteout of a missing path', () => {
    expect(tree([file('a')], [file('x/y/.wh.z', '')])).toEqual({ a: 'a' });
  });

  it('replaces a folder by a file, and the reverse', () => {
    expect(tree([file('a/b'), file('c')], [file('a', '2'), folder('c')])).toEqual({ a: '2', c: 'folder' });
  });

  it('keeps the content of a folder that an upper layer contains too', () => {
    expect(tree([file('a/b')], [folder('a')])).toEqual({ a: 'folder', 'a/b': 'a/b' });
  });

  it('resolves links to folders within the image', () => {
    const layers = [
      [folder('usr/lib'), symlink('lib', 'usr/lib'), symlink('usr/abs', '/etc'), folder('etc')],
      [file('lib/a'), file('usr/abs/passwd', 'x')],
    ];
    expect(tree(...layers)).toMatchObject({ 'usr/lib/a': 'lib/a', 'etc/passwd': 'x', lib: 'symlink' });
  });

  it('makes a file of a hard link, which stays when its target is removed', () => {
    expect(tree([file('a', '1'), hardlink('b', 'a')], [file('.wh.a', '')])).toEqual({ b: '1' });
  });

  it('replaces a link, not its target', () => {
    expect(tree([file('a', '1'), symlink('b', 'a')], [file('b', '2')])).toEqual({ a: '1', b: '2' });
  });
});

describe('unpackLayers', () => {
  const archive = writeTar([file('a')]);
  const diffId = digestOf(archive);
  const packed = gzipSync(archive);
  const problem = (bytes: Uint8Array, limit?: number) => {
    const outcome = unpackLayers([{ bytes, diffId }], limit);
    return outcome.kind === 'invalid' ? outcome.problems[0]?.message : 'nothing is wrong';
  };

  it('reads compressed and plain layers', () => {
    expect(problem(packed)).toBe('nothing is wrong');
    expect(problem(archive)).toBe('nothing is wrong');
  });

  it('reads a layer with several gzip members', () => {
    const [one, two] = [archive.subarray(0, 700), archive.subarray(700)].map((part) => gzipSync(part));
    if (one === undefined || two === undefined) throw new Error('there are two');
    expect(problem(new Uint8Array([...one, ...two]))).toBe('nothing is wrong');
  });

  it('rejects zstd with a message', () => {
    expect(problem(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0]))).toContain('zstd');
  });

  it('rejects a layer that unpacks to another digest', () => {
    expect(problem(gzipSync(writeTar([file('b')])))).toMatch(/^it unpacks to sha256:/);
  });

  it('rejects a decompression bomb, and a truncated layer', () => {
    expect(problem(gzipSync(new Uint8Array(50_000_000)), 1_000_000)).toBe(
      'it unpacks to more than 1000000 bytes',
    );
    expect(problem(archive, 100)).toBe('it unpacks to more than 100 bytes');
    expect(problem(packed.subarray(0, 40))).toMatch(/^it unpacks to sha256:|cannot be unpacked/);
  });
});
