import { describe, expect, it } from 'vitest';
import { bandOf } from './bands.ts';

describe('a band', () => {
  it.each([
    ['of nothing is none', [], undefined],
    ['of one value is that value', [7], { p10: 7, p50: 7, p90: 7 }],
    ['lies between two values', [10, 20], { p10: 11, p50: 15, p90: 19 }],
    ['does not depend on the order', [30, 10, 20], { p10: 12, p50: 20, p90: 28 }],
    [
      'leaves out the extremes of many',
      Array.from({ length: 101 }, (_, n) => n),
      { p10: 10, p50: 50, p90: 90 },
    ],
  ])('%s', (_, values, band) => {
    expect(bandOf(values)).toEqual(band);
  });
});
