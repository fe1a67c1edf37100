import { describe, expect, it } from 'vitest';
import { compareVersions, packageDiff } from './package-diff.ts';

describe('packageDiff', () => {
  it.each([
    ['nothing', 'a-1-1.noarch', 'a-1-1.noarch', undefined],
    ['an upgrade', 'a-1-1.noarch b-1.9-1.x86_64', 'a-1-1.noarch b-1.10-1.x86_64', '1 upgraded'],
    ['downgrades', 'a-2-1.noarch b-2-1.noarch', 'a-1-1.noarch b-1-9.noarch', '2 downgraded'],
    ['a new and a removed package', 'a-1-1.noarch', 'b-1-1.noarch', '1 removed, 1 added'],
    [
      'all of it',
      'a-1-1.noarch b-2-1.noarch c-1-1.noarch',
      'a-2-1.noarch b-1-1.noarch d-1-1.noarch e-1-1.noarch',
      '1 upgraded, 1 downgraded, 1 removed, 2 added',
    ],
    ['names with dashes and without versions', 'kernel-core glibc', 'kernel-core glibc usbguard', '1 added'],
    ['another architecture', 'a-1-1.i686', 'a-1-1.x86_64', undefined],
  ])('counts %s', (_, before, after, expected) => {
    expect(packageDiff(before.split(' '), after.split(' '))).toBe(expected);
  });
});

describe('compareVersions', () => {
  it.each([
    ['1.0', '1.0', 0],
    ['1.9', '1.10', -1],
    ['1.010', '1.10', 0],
    ['2.0', '10', -1],
    ['1.0a', '1.0b', -1],
    ['1.0', '1.0.1', -1],
    ['1.0~rc1', '1.0', -1],
    ['1.0^git1', '1.0', 1],
    ['1a', '1.1', -1],
    ['5.14.0-427.el9', '5.14.0-503.el9', -1],
  ])('orders %s and %s as rpm does', (a, b, expected) => {
    expect([Math.sign(compareVersions(a, b)), Math.sign(compareVersions(b, a))]).toEqual([
      expected,
      0 - expected,
    ]);
  });
});
