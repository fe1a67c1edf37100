import { describe, expect, it } from 'vitest';
import type { ControllerConfigSpec } from '../../api/index.ts';
import { authorityFiles, registryOfAuthorityFile, trustedAuthorities } from './trusted-authorities.ts';

const spec = (
  given: {
    readonly cluster?: string;
    readonly managed?: Record<string, string>;
    readonly user?: Record<string, string>;
  } = {},
) => {
  const bundles = (all: Record<string, string> = {}) =>
    Object.entries(all).map(([file, text]) => ({ file, data: btoa(text) }));
  return {
    ...(given.cluster === undefined ? {} : { additionalTrustBundle: btoa(given.cluster) }),
    imageRegistryBundleData: bundles(given.managed),
    imageRegistryBundleUserData: bundles(given.user),
  } as unknown as ControllerConfigSpec;
};

describe('trustedAuthorities', () => {
  it.each([
    ['nothing without bundles', spec(), undefined],
    ['nothing without a ControllerConfig', undefined, undefined],
    ['the bundle of the cluster', spec({ cluster: 'A' }), 'A'],
    ['the bundle of the registry', spec({ managed: { 'r.example..5000': 'B' } }), 'B'],
    ['not that of another port', spec({ managed: { 'r.example..5001': 'B', 'r.example': 'C' } }), undefined],
    ['both', spec({ cluster: 'A\n', user: { 'r.example..5000': 'B' } }), 'A\nB'],
    [
      'that of users, where there are two',
      spec({ managed: { 'r.example..5000': 'B' }, user: { 'r.example..5000': 'C' } }),
      'C',
    ],
  ])('trusts %s', (_, given, expected) => {
    expect(trustedAuthorities(given, 'r.example:5000')).toBe(expected);
  });
});

describe('authorityFiles', () => {
  it('has keys that a ConfigMap can have, from which the registry follows', () => {
    const files = authorityFiles(spec({ cluster: 'A', managed: { 'r.example..5000': 'B' } }), []);
    expect(files).toEqual({
      'openshift-config-user-ca-bundle.crt': btoa('A'),
      'registry-ca-r.example..5000': btoa('B'),
    });
    expect(Object.keys(files).map(registryOfAuthorityFile)).toEqual([undefined, 'r.example:5000']);
  });

  it('has the key of upstream also where there is no bundle', () => {
    expect(authorityFiles(undefined, [])).toEqual({ 'openshift-config-user-ca-bundle.crt': '' });
  });

  it('leaves out registries that the build does not name where not all of them fit', () => {
    const large = 'x'.repeat(300 * 1024);
    const managed = { 'a.example': large, 'b.example': large, 'c.example': 'small' };
    const keys = Object.keys(authorityFiles(spec({ managed }), ['b.example'])).slice(1);
    expect(keys).toEqual(['registry-ca-b.example', 'registry-ca-c.example']);
  });

  it('ignores keys that name no registry', () => {
    expect(registryOfAuthorityFile('registry-ca-../../etc')).toBeUndefined();
    expect(registryOfAuthorityFile('..data')).toBeUndefined();
  });
});
