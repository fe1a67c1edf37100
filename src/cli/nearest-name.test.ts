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
])('%s is meant for %s', (given, meant) => {
  expect(nearestName(given, fields)).toBe(meant);
});

test.each(['files', 'a', '', 'somethingElse', 'x'.repeat(1000)])('%s is meant for none of them', (given) => {
  expect(nearestName(given, fields)).toBeUndefined();
});

test('how many slips are forgiven can be said', () => {
  expect(nearestName('image.openshift.io', ['config.openshift.io'])).toBe('config.openshift.io');
  expect(nearestName('image.openshift.io', ['config.openshift.io'], 3)).toBeUndefined();
});

test('a suggestion is a part of a sentence, or nothing', () => {
  expect(didYouMean('label', ['labels'])).toBe(' (did you mean labels?)');
  expect(didYouMean('x', ['labels'])).toBe('');
});
