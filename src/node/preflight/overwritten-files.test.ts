import { expect, it } from 'vitest';
import { aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const WHY =
  'it exists on the node with other contents, which are kept and come back when the config no longer has it';
const files = { '/etc/a': 'mine', '/etc/b': 'same' };

it('warns of files of the machine that are replaced, and not of those that stay the same', () => {
  const change = aChange({}, filesOf({ '/etc/a': 'new', '/etc/b': 'same', '/etc/c': 'new' }));
  expect(judged(change, { files })).toEqual({ refusals: [], warnings: [`/etc/a: ${WHY}`] });
});

it('warns of nothing that an earlier config has written', () => {
  expect(
    judged(aChange(filesOf({ '/etc/a': 'old' }), filesOf({ '/etc/a': 'new' })), { files }).warnings,
  ).toEqual([]);
});

it('names a few of many', () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`/etc/${index}`, 'new']));
  const there = Object.fromEntries(Object.keys(many).map((path) => [path, 'old']));
  expect(judged(aChange({}, filesOf(many)), { files: there }).warnings).toEqual([
    `/etc/0, /etc/1, /etc/2, /etc/3, /etc/4 and 2 more: ${WHY}`,
  ]);
});
