import { describe, expect, it } from 'vitest';
import { mergeSkippedChecks, parseSkippedChecks, unknownSkippedChecks } from './skip-preflight.ts';

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
    [undefined, []],
    ['true', []],
    ['kubelet-unit, space', []],
    [
      'kubelet-unti,space',
      ['millwright.dev/skip-preflight names kubelet-unti, which is no check (did you mean kubelet-unit?)'],
    ],
    ['true,everything', ['millwright.dev/skip-preflight names everything, which is no check']],
    ['false', ['millwright.dev/skip-preflight names false, which is no check']],
  ])('of %j are unknown: %j', (value, lines) => {
    expect(unknownSkippedChecks(value)).toEqual(lines);
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
