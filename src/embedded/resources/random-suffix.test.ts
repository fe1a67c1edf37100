import { describe, expect, it } from 'vitest';
import { randomSuffix } from './random-suffix.ts';

describe('the end of a name that the server makes up', () => {
  it('has five characters of which no words can be made', () => {
    expect(randomSuffix(() => 0)).toBe('bbbbb');
    expect(randomSuffix(() => 0.999_999)).toBe('99999');
  });
});
