import { expect, it } from 'vitest';
import { assert, Bug, formatProblem, joinPath, within } from './errors.ts';

it.each([
  ['spec', 'config', 'spec.config'],
  ['spec.files', '[3]', 'spec.files[3]'],
  ['', 'spec', 'spec'],
  ['spec', '', 'spec'],
])('the paths %j and %j join to %j', (parent, child, joined) => {
  expect(joinPath(parent, child)).toBe(joined);
});

it('a problem is one line that begins with where it is', () => {
  expect(formatProblem(within('spec.config', { path: 'storage', message: 'is wrong' }))).toBe(
    'spec.config.storage: is wrong',
  );
  expect(formatProblem({ path: '', message: 'is wrong' })).toBe('is wrong');
});

it('a failed assertion throws a Bug', () => {
  expect(() => assert(false, 'one and one are three')).toThrow(new Bug('one and one are three'));
  expect(() => assert(false, 'x')).toThrow(Bug);
  expect(new Bug('x').message).toBe('internal error: x');
});
