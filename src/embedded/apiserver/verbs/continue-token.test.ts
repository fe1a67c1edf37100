import { describe, expect, it } from 'vitest';
import { decodeToken, encodeToken } from './continue-token.ts';

describe('the continue token', () => {
  it.each([
    { revision: 5, after: 'a/b' },
    { revision: -1, after: 'ünïcode/näme' },
    { revision: 2 ** 50, after: 'x'.repeat(500) },
  ])('is decoded as it was encoded: $revision', (token) => {
    expect(decodeToken(encodeToken(token))).toEqual(token);
    expect(encodeToken(token)).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  const prefix = 'invalid continue token: continue key is not valid: ';
  it.each([
    ['nonsense', "invalid character '\\u009e' looking for beginning of value"],
    ['e30', 'server does not recognize this encoded version '],
    ['a.b', 'illegal base64 data at input byte 1'],
    [btoa('{"v":"meta.k8s.io/v1","rv":1}'), 'encoded start key empty (version meta.k8s.io/v1)'],
    [btoa('{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}'), '"../x"'],
  ])('is rejected if it is %s: %s', (text, why) => {
    expect(() => decodeToken(text.replace(/=+$/, ''))).toThrow(`${prefix}${why}`);
  });
});
