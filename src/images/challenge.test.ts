import { describe, expect, it } from 'vitest';
import { parseChallenge } from './challenge.ts';

describe('parseChallenge', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['Negotiate', undefined],
    ['Bearer service="no realm"', undefined],
    [`Bearer realm="${'x'.repeat(10_000)}"`, undefined],
    ['Basic realm="test"', { kind: 'basic' }],
    ['basic', { kind: 'basic' }],
    ['Bearer realm="https://a/token"', { kind: 'bearer', realm: 'https://a/token' }],
    [
      'Bearer realm="https://a/token",service="reg",scope="repository:a:pull,push"',
      { kind: 'bearer', realm: 'https://a/token', service: 'reg', scope: 'repository:a:pull,push' },
    ],
    [
      'Basic realm="a", Bearer realm="https://a", service=reg, error="invalid_token"',
      { kind: 'bearer', realm: 'https://a', service: 'reg' },
    ],
    ['Bearer realm="a\\"b"', { kind: 'bearer', realm: 'a"b' }],
  ])('reads %j', (header, expected) => {
    expect(parseChallenge(header)).toEqual(expected);
  });
});
