import { expect, test } from 'vitest';
import { Failure } from '../base/errors.ts';
import { formatFileList, parseFileList } from './file-list.ts';

const entry = (name: string, fields: object = {}) => ({
  name,
  kind: 'file',
  mode: '0644',
  sizeBytes: 0,
  owner: { uid: 0, gid: 0, user: 'root', group: 'root' },
  ...fields,
});
const printed = (...entries: readonly object[]) => formatFileList(parseFileList({ entries }));

test.each([
  undefined,
  null,
  'text',
  [],
  {},
  { entries: 3 },
  { entries: [3] },
  { entries: [{}] },
  { entries: [{ name: 1, mode: '0644' }] },
  { entries: [{ name: 'a', mode: '999' }] },
])('parseFileList rejects the malformed response %j', (answer) => {
  expect(() => parseFileList(answer)).toThrow(Failure);
});

test.each([
  ['file', '0644', '-rw-r--r--'],
  ['folder', '0755', 'drwxr-xr-x'],
  ['link', '0777', 'lrwxrwxrwx'],
  ['other', '0600', '?rw-------'],
  ['folder', '1777', 'drwxrwxrwt'],
  ['folder', '1776', 'drwxrwxrwT'],
  ['file', '4755', '-rwsr-xr-x'],
  ['file', '6644', '-rwSr-Sr--'],
  ['file', '0000', '----------'],
])('formatFileList prints a %s of mode %s as %s', (kind, mode, text) => {
  expect(printed(entry('x', { kind, mode })).split(' ')[0]).toBe(text);
});

test('formatFileList aligns columns of names and ids', () => {
  expect(
    printed(
      entry('data', { kind: 'folder', mode: '0755', sizeBytes: 4096 }),
      entry('key', { mode: '0600', owner: { uid: 1000, gid: 4711, user: 'core' } }),
      entry('link', { kind: 'link', mode: '0777', sizeBytes: 4, target: 'data' }),
    ),
  ).toBe(
    'drwxr-xr-x root root 4096 data\n-rw------- core 4711    0 key\nlrwxrwxrwx root root    4 link -> data\n',
  );
});

test('formatFileList prints nothing for an empty directory', () => {
  expect(printed()).toBe('');
});

test('formatFileList escapes control characters in names', () => {
  expect(printed(entry('a\nb', { target: '\u001b[2J' }))).toBe(
    '-rw-r--r-- root root 0 a\\x0ab -> \\x1b[2J\n',
  );
});
