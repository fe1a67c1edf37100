import { describe, expect, it } from 'vitest';
import { anImage } from '../../../test/support/build-registries.ts';
import { readImageSettings } from './image-settings.ts';
import type { SourceMirrors } from './mirror-sets.ts';

const read = (
  sources: Parameters<typeof anImage>[0],
  mirrors: readonly SourceMirrors[] = [],
  payload?: string,
) => readImageSettings(anImage(sources), mirrors, payload);
const texts = (settings: ReturnType<typeof read>) => settings.findings.map(({ message }) => message);

describe('invalid settings', () => {
  it.each([
    ['insecureRegistries', '*', 'invalid entry for insecure registries "*"'],
    ['insecureRegistries', '', 'invalid entry for insecure registries ""'],
    ['blockedRegistries', 'a.*.com', 'invalid entry for blocked registries "a.*.com"'],
    ['blockedRegistries', '*.example.com/team', 'invalid entry for blocked registries "*.example.com/team"'],
    ['allowedRegistries', '*.example.com:5000', 'invalid entry for allowed registries "*.example.com:5000"'],
    [
      'containerRuntimeSearchRegistries',
      'https://x.io',
      'invalid entry for search registries "https://x.io"',
    ],
    ['containerRuntimeSearchRegistries', '*.io', 'invalid entry for search registries "*.io"'],
  ])('in %s only drop %j', (field, bad, message) => {
    const settings = read({ [field]: [bad, 'good.io'] });
    expect(texts(settings)).toEqual([`${message}; it is ignored`]);
    const { insecure, blocked, allowed, search, isUsable } = settings;
    expect([...insecure, ...blocked, ...allowed, ...search, isUsable]).toEqual(['good.io', true]);
    expect(settings.findings[0]).toMatchObject({
      about: { apiVersion: 'config.openshift.io/v1', kind: 'Image', name: 'cluster' },
      reason: 'InvalidImageConfig',
    });
  });

  it('include registries that are both allowed and blocked', () => {
    const settings = read({ allowedRegistries: ['a.io'], blockedRegistries: ['b.io'] });
    expect(settings.isUsable).toBe(false);
    expect(texts(settings)).toEqual([
      'invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified; until this is fixed, nodes keep their present registries',
    ]);
  });
});

describe('the release image', () => {
  const payload = 'quay.io/release/os@sha256:00';
  const mirrored = (source: string, ...mirrors: readonly string[]): SourceMirrors => ({
    ...{ source, use: 'digest-only', mirrors, isNeverContacted: false },
  });
  const skipped = (scope: string) =>
    `error adding ["${scope}"] to blocked registries, cannot block the repository being used by the payload, skipping....`;

  it.each<readonly [string, readonly string[], readonly SourceMirrors[], object]>([
    [
      'without a mirror is not blocked',
      ['quay.io', 'b.io'],
      [],
      { blocked: ['b.io'], rejected: ['b.io'], allowed: [], findings: [skipped('quay.io')] },
    ],
    [
      'nor with a mirror that is blocked itself',
      ['quay.io', 'm.io'],
      [mirrored('quay.io', 'm.io')],
      { blocked: ['m.io'], rejected: ['m.io'], allowed: [], findings: [skipped('quay.io')] },
    ],
    [
      'nor with a mirror for tags, by which it is not named',
      ['quay.io'],
      [{ ...mirrored('quay.io', 'm.io'), use: 'tag-only' }],
      { blocked: [], rejected: [], allowed: [], findings: [skipped('quay.io')] },
    ],
    [
      'with a mirror is taken from there, and allowed',
      ['quay.io'],
      [mirrored('quay.io/release', 'm.io/x')],
      { blocked: ['quay.io'], rejected: ['quay.io'], allowed: ['quay.io/release/os'], findings: [] },
    ],
    [
      'is not rejected where it is blocked by its own name',
      ['quay.io/release/os'],
      [mirrored('quay.io', 'm.io')],
      { blocked: ['quay.io/release/os'], rejected: [], allowed: ['quay.io/release/os'], findings: [] },
    ],
    [
      'does not concern other registries',
      ['quay.io/other'],
      [],
      { blocked: ['quay.io/other'], rejected: ['quay.io/other'], allowed: [], findings: [] },
    ],
  ])('%s', (_, blockedRegistries, mirrors, expected) => {
    const { blocked, rejected, allowed, ...rest } = read({ blockedRegistries }, mirrors, payload);
    expect({ blocked, rejected, allowed, findings: rest.findings.map(({ message }) => message) }).toEqual(
      expected,
    );
  });

  it('may be the only allowed registry besides blocked ones', () => {
    const settings = read(
      { allowedRegistries: ['quay.io/release/os'], blockedRegistries: ['b.io'] },
      [],
      payload,
    );
    expect(settings).toMatchObject({ isUsable: true, allowed: ['quay.io/release/os'], rejected: ['b.io'] });
  });
});

it('a missing or empty Image has no settings', () => {
  const nothing = { insecure: [], blocked: [], rejected: [], allowed: [], search: [], hasInsecure: false };
  expect(readImageSettings(undefined, [], undefined)).toMatchObject(nothing);
  expect(read(undefined)).toMatchObject(nothing);
  expect(read({ insecureRegistries: [] })).toMatchObject({ ...nothing, hasInsecure: true });
});
