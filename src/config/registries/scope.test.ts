import { describe, expect, it } from 'vitest';
import { isMirror, isSource, isWithin, narrowest, repositoryOf, restWithin } from './scope.ts';

describe('scopes', () => {
  it.each([
    ['quay.io', 'quay.io', true],
    ['quay.io/team', 'quay.io', true],
    ['quay.io/team/app', 'quay.io/team', true],
    ['quay.io/teamwork', 'quay.io/team', false],
    ['quay.io', 'quay.io/team', false],
    ['quay.io:5000/team', 'quay.io', false],
    ['a.example.com', '*.example.com', true],
    ['a.b.example.com/team', '*.example.com', true],
    ['a.example.com:5000/team', '*.example.com', true],
    ['*.b.example.com', '*.example.com', true],
    ['example.com', '*.example.com', false],
    ['badexample.com', '*.example.com', false],
    ['quay.io/a.example.com', '*.example.com', false],
    ['a.example.com/team/app:v1', '*.example.com', true],
    ['__proto__', 'constructor', false],
  ])('%s within %s: %s', (scope, outer, expected) => {
    expect(isWithin(scope, outer)).toBe(expected);
  });

  it.each([
    ['quay.io/team/app', 'quay.io/team', '/app'],
    ['quay.io/team', 'quay.io/team', ''],
    ['a.example.com/team', '*.example.com', '/team'],
    ['a.example.com:5000/team', '*.example.com', '/team'],
    ['*.b.example.com', '*.example.com', ''],
  ])('%s is below %s by %j', (scope, outer, rest) => {
    expect(restWithin(scope, outer)).toBe(rest);
  });

  it('belong to the narrowest containing scope, preferring hosts to wildcards', () => {
    const among = ['quay.io', 'quay.io/team', '*.io', 'other.io', 'a.io', '*.o'].map((scope) => ({ scope }));
    expect(narrowest('quay.io/team/app', among)?.scope).toBe('quay.io/team');
    expect(narrowest('quay.io/x', among)?.scope).toBe('quay.io');
    expect(narrowest('a.io/x', [...among].reverse())?.scope).toBe('a.io');
    expect(narrowest('b.io/x', among)?.scope).toBe('*.io');
    expect(narrowest('docker.com', among)).toBeUndefined();
  });

  it.each([
    ['quay.io/a/b', 'quay.io/a/b'],
    ['quay.io/a/b:v1', 'quay.io/a/b'],
    ['localhost:5000/a:v1@sha256:00', 'localhost:5000/a'],
    ['localhost:5000', 'localhost:5000'],
    ['', ''],
  ])('the repository of %s is %s', (image, repository) => {
    expect(repositoryOf(image)).toBe(repository);
  });

  it.each([
    ['quay.io', true, true],
    ['registry:5000/team/app', true, true],
    ['*.example.com', true, false],
    ['', false, false],
    ['*', false, false],
    ['*.', false, false],
    ['a.*.com', false, false],
    ['*.example.com/team', false, false],
    ['*.example.com:5000', false, false],
    ['https://quay.io', false, false],
    ['quay.io/Team', false, false],
    ['quay.io/team:v1', false, false],
    ['quay.io/a b', false, false],
    ['quay.io/a"\n[[registry]]', false, false],
    [`quay.io/${'a-'.repeat(50_000)}!`, false, false],
  ])('%.40s may be a source: %s, a mirror: %s', (text, source, mirror) => {
    expect([isSource(text), isMirror(text)]).toEqual([source, mirror]);
  });
});
