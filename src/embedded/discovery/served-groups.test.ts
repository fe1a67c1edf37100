import { describe, expect, it } from 'vitest';
import { builtins, configMap } from '../../kubernetes/types/index.ts';
import { compareVersions, findGroup, servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

const widgetIn = (group: string, version = 'v1', plural = 'widgets'): ServedResource => ({
  ...configMap,
  ...{ origin: 'custom', group, version, plural },
});

describe('compareVersions', () => {
  it('sorts the most stable version first', () => {
    const asServed = ['v10', 'v2', 'v1', 'v1beta2', 'v11alpha2', 'v1alpha1', 'foo1', 'foo10'];
    expect(asServed.toReversed().sort(compareVersions)).toEqual(asServed);
    expect(asServed.toSorted().sort(compareVersions)).toEqual(asServed);
  });

  it.each(['v0', 'v01', 'v1beta', 'v1gamma1', 'V1', 'v1beta0', ''])('sorts %s last', (name) => {
    expect(compareVersions(name, 'v1alpha1')).toBeGreaterThan(0);
    expect(compareVersions('v1alpha1', name)).toBeLessThan(0);
  });
});

describe('servedGroups', () => {
  it('has the order of kube-apiserver, then custom groups by name', () => {
    const resources = [
      ...['zed.example.com', 'b-dash.example.com', 'a.example.com'].map((group) => widgetIn(group)),
      ...builtins.toReversed().map((one): ServedResource => ({ ...one, origin: 'builtin' })),
    ];
    expect(servedGroups(resources).map(({ name }) => name)).toEqual([
      '',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'batch',
      'policy',
      'rbac.authorization.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'coordination.k8s.io',
      'a.example.com',
      'b-dash.example.com',
      'zed.example.com',
    ]);
  });

  it('sorts resources by version and name', () => {
    const group = 'example.com';
    const resources = [widgetIn(group), widgetIn(group, 'v2'), widgetIn(group, 'v1', 'gadgets')];
    const versions = findGroup(resources, group)?.versions ?? [];
    expect(
      versions.map(({ version, resources: served }) => [version, served.map(({ plural }) => plural)]),
    ).toEqual([
      ['v2', ['widgets']],
      ['v1', ['gadgets', 'widgets']],
    ]);
  });

  it.each(['none.example.com', '__proto__', 'constructor', ''])('has no group %s', (name) => {
    expect(findGroup([widgetIn('example.com')], name)).toBeUndefined();
  });
});
