import { expect, test } from 'vitest';
import { kernelArgumentChange, missingKernelArguments, splitKernelArguments } from './kernel-arguments.ts';

test.each<[readonly string[], readonly string[]]>([
  [[], []],
  [[''], []],
  [['  quiet  '], ['quiet']],
  [['quiet splash'], ['quiet', 'splash']],
  [['a\tb\nc'], ['a', 'b', 'c']],
  [['name="two words" b'], ['name="two words"', 'b']],
  [['"a b"=c'], ['"a b"=c']],
  [['a="x y'], ['a="x y']],
  [['"'], ['"']],
  [["a='x y'"], ["a='x", "y'"]],
  [['a=""'], ['a=""']],
])('%j is split into %j', (entries, expected) => {
  expect(splitKernelArguments(entries)).toEqual(expected);
});

test('all old arguments are removed and all new ones appended, in order and with duplicates (edge case 17)', () => {
  const pages = ['hugepagesz=1G hugepages=4', 'hugepagesz=2M hugepages=4'];
  expect(kernelArgumentChange(['a', 'b'], ['b', ...pages])).toEqual({
    remove: ['a', 'b'],
    append: ['b', 'hugepagesz=1G', 'hugepages=4', 'hugepagesz=2M', 'hugepages=4'],
  });
});

test('missing arguments are found independent of order', () => {
  expect(missingKernelArguments(['a b', 'c'], ['c', 'x', 'b', 'a'])).toEqual([]);
  expect(missingKernelArguments(['a', 'd=1'], ['a', 'd=2'])).toEqual(['d=1']);
});

test('an argument with spaces is found in a list that is split at spaces', () => {
  const expected = ['opts="a b"'];
  expect(missingKernelArguments(expected, ['x', 'opts="a', 'b"'])).toEqual([]);
  expect(missingKernelArguments(expected, ['x', 'opts="a b"'])).toEqual([]);
  expect(missingKernelArguments(expected, ['opts="a', 'c"'])).toEqual(expected);
});
