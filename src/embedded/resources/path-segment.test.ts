import { expect, it } from 'vitest';
import { pathSegmentProblems, rbacNameProblems } from './path-segment.ts';

it.each([
  ['.', ["may not be '.'"]],
  ['..', ["may not be '..'"]],
  ['a/b', ["may not contain '/'"]],
  ['a%b/c', ["may not contain '/'", "may not contain '%'"]],
  ['A:b c', []],
  ['ends-', []],
])('pathSegmentProblems of %s', (name, problems) => {
  expect(pathSegmentProblems(name, false)).toEqual(problems);
});

it('accepts a generateName prefix that is invalid as a whole name', () => {
  expect(pathSegmentProblems('.', true)).toEqual([]);
  expect(pathSegmentProblems('a/', true)).toEqual(["may not contain '/'"]);
  expect(rbacNameProblems('.')).toEqual(["may not be '.'"]);
});
