import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errnoOf, osErrorMessage } from './os-error.ts';

it.each<[string, unknown, string]>([
  ['a missing file', thrownBy(() => readFileSync('/nowhere/at/all')), 'no such file or directory'],
  ['a directory', thrownBy(() => readFileSync('/')), 'is a directory'],
  [
    'an unknown errno',
    Object.assign(new Error('EWHATEVER: what, ever'), { code: 'EWHATEVER' }),
    'the operating system reports EWHATEVER',
  ],
  ['another error by its first line', new Error('out of paper\nand ink'), 'out of paper'],
  ['an error of Node by its message', Object.assign(new Error('bad'), { code: 'ERR_BAD' }), 'bad'],
  ['a thrown string', 'paper', 'paper'],
])('osErrorMessage describes %s', (_, error, message) => {
  expect(osErrorMessage(error)).toBe(message);
});

it('errnoOf is empty for other errors', () => {
  expect(errnoOf(thrownBy(() => readFileSync('/nowhere')))).toBe('ENOENT');
  expect(errnoOf(new Error('x'))).toBe('');
});

function thrownBy(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
