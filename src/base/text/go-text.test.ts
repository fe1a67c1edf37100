import { describe, expect, it } from 'vitest';
import { floatText, literal, numeral, quoted, shown } from './go-text.ts';

describe('Go formatting', () => {
  it.each([
    ['a"b\\', '"a\\"b\\\\"'],
    ['\u0000\u0007\n\u007f', '"\\x00\\a\\n\\x7f"'],
    ['\u200b\u00ad', '"\\u200b\\u00ad"'],
    ['é😀', '"é😀"'],
    ['\ud800', '"\ufffd"'],
  ])('quotes %j', (text, expected) => {
    expect(quoted(text)).toBe(expected);
  });

  it.each([
    [0, '0'],
    [-5, '-5'],
    [1.5, '1.5'],
    [1234567, '1234567'],
    [1234567.5, '1.2345675e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e20, '1e+20'],
    [Number.NaN, 'NaN'],
  ])('formats the number %d', (value, expected) => {
    expect(numeral(value)).toBe(expected);
  });

  it('formats a float of seven digits with an exponent', () => {
    expect(floatText(12345678)).toBe('1.2345678e+07');
  });

  it('sorts the keys of a map', () => {
    expect(literal({ b: [1, null], a: { c: true } })).toBe(
      'map[string]interface {}{"a":map[string]interface {}{"c":true}, "b":[]interface {}{1, interface {}(nil)}}',
    );
  });

  it('shows null as the string "null"', () => {
    expect(shown(null)).toBe('"null"');
  });
});
