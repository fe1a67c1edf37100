import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeOf, plainWords } from './os-error.ts';

it.each<[string, unknown, string]>([
  ['a file that is not there', thrownBy(() => readFileSync('/nowhere/at/all')), 'no such file or folder'],
  ['a folder in its place', thrownBy(() => readFileSync('/')), 'it is a folder, not a file'],
  [
    'a code without words',
    Object.assign(new Error('EWHATEVER: what, ever'), { code: 'EWHATEVER' }),
    'the system refuses it (EWHATEVER)',
  ],
  ['an error of ours', new Error('out of paper\nand ink'), 'out of paper'],
  ['a code of Node', Object.assign(new Error('bad'), { code: 'ERR_BAD' }), 'bad'],
  ['no error at all', 'paper', 'paper'],
])('%s is told in plain words', (_, error, words) => {
  expect(plainWords(error)).toBe(words);
});

it('only errors of the system have a code', () => {
  expect(codeOf(thrownBy(() => readFileSync('/nowhere')))).toBe('ENOENT');
  expect(codeOf(new Error('x'))).toBe('');
});

function thrownBy(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
