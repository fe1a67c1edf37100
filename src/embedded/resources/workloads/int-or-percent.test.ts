import { describe, expect, it } from 'vitest';
import { above100PercentProblems, amountOf, intOrPercentProblems } from './int-or-percent.ts';

const formatted = (text: string) => `intstr.IntOrString{Type:1, IntVal:0, StrVal:"${text}"}`;
const NOT_A_PERCENTAGE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

describe('int-or-percent values', () => {
  it.each([
    [-1, 'Invalid value: -1: must be greater than or equal to 0'],
    ['10', `Invalid value: ${formatted('10')}: ${NOT_A_PERCENTAGE}`],
    ['-5%', `Invalid value: ${formatted('-5%')}: ${NOT_A_PERCENTAGE}`],
    ['x', `Invalid value: ${formatted('x')}: ${NOT_A_PERCENTAGE}`],
  ])('rejects %s', (value, message) => {
    expect(intOrPercentProblems('a.b', value)).toEqual([
      { path: 'a.b', message, reason: 'FieldValueInvalid' },
    ]);
  });

  it.each([0, 7, '0%', '25%', '200%', undefined])('accepts %s', (value) => {
    expect(intOrPercentProblems('a.b', value)).toEqual([]);
  });

  it('rejects more than 100% where that is meaningless', () => {
    expect(above100PercentProblems('a', '101%')).toEqual([
      {
        path: 'a',
        message: `Invalid value: ${formatted('101%')}: must not be greater than 100%`,
        reason: 'FieldValueInvalid',
      },
    ]);
    expect(above100PercentProblems('a', '100%')).toEqual([]);
    expect(above100PercentProblems('a', 500)).toEqual([]);
  });

  it.each([
    [3, 3],
    ['40%', 40],
    ['7', 7],
    ['x', 0],
    [undefined, 0],
  ])('%s counts as %i', (value, amount) => {
    expect(amountOf(value)).toBe(amount);
  });
});
