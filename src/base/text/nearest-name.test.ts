import { expect, test } from 'vitest';
import { didYouMean, nearestName } from './nearest-name.ts';

const fields = ['osImageURL', 'kernelArguments', 'kernelType', 'fips', 'config', 'extensions'];

test.each([
  ['kernelArgument', 'kernelArguments'],
  ['kernelarguments', 'kernelArguments'],
  ['osImageUrl', 'osImageURL'],
  ['extentions', 'extensions'],
  ['configs', 'config'],
  ['fipz', 'fips'],
])('nearestName corrects %s to %s', (given, meant) => {
  expect(nearestName(given, fields)).toBe(meant);
});

test.each(['files', 'a', '', 'somethingElse', 'x'.repeat(1000)])(
  'nearestName finds nothing close to %s',
  (given) => {
    expect(nearestName(given, fields)).toBeUndefined();
  },
);

test('nearestName accepts a maximum edit distance', () => {
  expect(nearestName('image.openshift.io', ['config.openshift.io'])).toBe('config.openshift.io');
  expect(nearestName('image.openshift.io', ['config.openshift.io'], 3)).toBeUndefined();
});

test('didYouMean returns a suggestion in parentheses, or nothing', () => {
  expect(didYouMean('label', ['labels'])).toBe(' (did you mean labels?)');
  expect(didYouMean('x', ['labels'])).toBe('');
});
