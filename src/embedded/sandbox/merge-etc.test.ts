import { expect, it } from 'vitest';
import type { OwnedEntry, OwnedTree } from './disk-trees.ts';
import { mergeEtc } from './merge-etc.ts';

/** A text is a file, one that begins with `->` a link, `/` a folder. */
function tree(files: Readonly<Record<string, string>>): OwnedTree {
  const owner = { uid: 0, gid: 0 };
  const entry = (text: string): OwnedEntry => {
    if (text === '/') return { kind: 'folder', mode: 0o755, owner };
    if (text.startsWith('->')) return { kind: 'link', target: text.slice(2), owner };
    return { kind: 'file', bytes: new TextEncoder().encode(text), mode: 0o644, owner };
  };
  return new Map(Object.entries(files).map(([path, text]) => [path, entry(text)]));
}

function plain(merged: OwnedTree): Record<string, string> {
  const text = (entry: OwnedEntry) =>
    entry.kind === 'folder'
      ? '/'
      : entry.kind === 'link'
        ? `->${entry.target}`
        : new TextDecoder().decode(entry.bytes);
  return Object.fromEntries([...merged].map(([path, entry]) => [path, text(entry)]));
}

type Files = Record<string, string>;

it.each<[string, Files, Files, Files, Files]>([
  ['untouched files follow the OS', { '/a': '1' }, { '/a': '1' }, { '/a': '2' }, { '/a': '2' }],
  ['changed files stay', { '/a': '1' }, { '/a': 'x' }, { '/a': '2' }, { '/a': 'x' }],
  ['added files stay', {}, { '/a': 'x' }, {}, { '/a': 'x' }],
  ['removed files stay away', { '/a': '1' }, {}, { '/a': '2' }, {}],
  ['files that the OS drops go', { '/a': '1' }, { '/a': '1' }, {}, {}],
  ['files that the OS brings come', {}, {}, { '/a': '2' }, { '/a': '2' }],
  ['changed files stay where the OS drops them', { '/a': '1' }, { '/a': 'x' }, {}, { '/a': 'x' }],
  ['a turned link stays', { '/a': '->x' }, { '/a': '->y' }, { '/a': '->z' }, { '/a': '->y' }],
  [
    'a removed folder stays away',
    { '/d': '/', '/d/a': '1' },
    {},
    { '/d': '/', '/d/a': '2', '/d/b': '2' },
    {},
  ],
  [
    'what was changed stands in its folder, whatever the OS puts there',
    { '/d': '/' },
    { '/d': '/', '/d/a': 'x' },
    { '/d': 'now a file' },
    { '/d': '/', '/d/a': 'x' },
  ],
  [
    'a folder that became a file stays a file',
    { '/d': '/', '/d/a': '1' },
    { '/d': 'x' },
    { '/d': '/', '/d/a': '1', '/d/b': '2' },
    { '/d': 'x' },
  ],
])('%s', (_, oldDefaults, current, newDefaults, merged) => {
  const trees = { oldDefaults: tree(oldDefaults), current: tree(current), newDefaults: tree(newDefaults) };
  expect(plain(mergeEtc(trees))).toEqual(merged);
});
