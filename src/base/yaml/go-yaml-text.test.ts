import { expect, test } from 'vitest';
import { goYamlText } from './go-yaml-text.ts';

test('sorts keys and does not indent lists below their key', () => {
  expect(goYamlText({ name: 'worker', list: [{ kind: 'A', name: 'a' }, { kind: 'B' }], empty: [] })).toBe(
    'empty: []\nlist:\n- kind: A\n  name: a\n- kind: B\nname: worker\n',
  );
});

test('writes empty objects, lists, strings and null in flow style', () => {
  expect(goYamlText({})).toBe('{}\n');
  expect(goYamlText({ a: '', b: null, c: {}, d: [] })).toBe('a: ""\nb: null\nc: {}\nd: []\n');
});

test.each([
  ['a\nb', 'a: |-\n  a\n  b\n'],
  ['a\nb\n', 'a: |\n  a\n  b\n'],
  ['a\n\n', 'a: |+\n  a\n\n'],
  [' a\nb', 'a: |2-\n   a\n  b\n'],
  ['a \nb', 'a: "a \\nb"\n'],
  ['a\tb', 'a: "a\\tb"\n'],
  ['yes', 'a: "yes"\n'],
  ['0644', 'a: "0644"\n'],
  ['1:30', 'a: "1:30"\n'],
  ['2020-01-01', 'a: "2020-01-01"\n'],
  ['a: b', "a: 'a: b'\n"],
  ["it's: x", "a: 'it''s: x'\n"],
  ['plain words', 'a: plain words\n'],
])('writes the string %j as go-yaml does', (text, expected) => {
  expect(goYamlText({ a: text })).toBe(expected);
});

test('folds a plain string at the first space beyond 80 columns', () => {
  const words = Array.from({ length: 20 }, () => 'words').join(' ');
  expect(goYamlText({ a: words })).toBe(
    `a: ${Array.from({ length: 14 }, () => 'words').join(' ')}\n  ${Array.from({ length: 6 }, () => 'words').join(' ')}\n`,
  );
});
