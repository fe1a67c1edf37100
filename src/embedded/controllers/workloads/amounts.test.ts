import { describe, expect, it } from 'vitest';
import { amountOf } from './amounts.ts';

describe('an amount', () => {
  it.each([
    [3, 10, 'up', 3],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    ['0%', 10, 'up', 0],
    ['100%', 7, 'down', 7],
    ['150%', 4, 'up', 6],
    ['50%', 0, 'up', 0],
    ['half', 10, 'up', 0],
    ['-5%', 10, 'up', 0],
    [undefined, 10, 'up', 0],
  ] as const)('%s of %i, rounded %s, is %i', (value, total, rounding, amount) => {
    expect(amountOf(value, { total, rounding })).toBe(amount);
  });
});
