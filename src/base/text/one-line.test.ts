import { describe, expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

describe('oneLine', () => {
  it.each([
    ['', ''],
    ['one', 'one'],
    [' kept as it is ', ' kept as it is '],
    ['error: no\n', 'error: no'],
    ['a\n\n  b\r\nc', 'a; b; c'],
    ['\n', ''],
  ])('turns %j into %j', (text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });
});
