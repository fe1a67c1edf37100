import { describe, expect, it } from 'vitest';
import { mergeSkippedChecks, parseSkippedChecks } from './skip-preflight.ts';

describe('the checks that an annotation skips', () => {
  it.each([
    [undefined, false, []],
    ['', false, []],
    ['false', false, ['false']],
    ['true', true, []],
    [' a, b ,,c', false, ['a', 'b', 'c']],
    ['a,true', true, ['a']],
  ])('of %j: all %j, %j', (value, isAll, names) => {
    expect(parseSkippedChecks(value)).toEqual({ isAll, names });
  });

  it.each([
    [[], undefined],
    [[undefined, ''], undefined],
    [['b,a', undefined, 'c,a'], 'a,b,c'],
    [['a', 'true'], 'true'],
  ])('of %j together are %j', (values, merged) => {
    expect(mergeSkippedChecks(values)).toBe(merged);
  });
});
