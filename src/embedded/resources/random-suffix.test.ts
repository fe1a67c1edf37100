import { describe, expect, it } from 'vitest';
import { randomSuffix } from './random-suffix.ts';

describe('randomSuffix', () => {
  it('has five characters without vowels', () => {
    expect(randomSuffix(() => 0)).toBe('bbbbb');
    expect(randomSuffix(() => 0.999_999)).toBe('99999');
  });
});
