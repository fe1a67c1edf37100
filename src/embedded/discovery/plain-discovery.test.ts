import { describe, expect, it } from 'vitest';
import { configMap, scale } from '../../kubernetes/types/index.ts';
import { apiGroup, apiResourceList, apiVersions } from './plain-discovery.ts';
import { servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

const subresourceVerbs = ['get', 'patch', 'update'] as const;
const name = { group: 'one.example.com', version: 'v1', kind: 'Widget' };
const widget: ServedResource = {
  ...configMap,
  ...name,
  origin: 'custom',
  listKind: 'WidgetList',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wg'],
  categories: ['all'],
  subresources: [
    { name: 'status', verbs: subresourceVerbs, takes: name },
    { name: 'scale', verbs: subresourceVerbs, takes: scale },
  ],
};

describe('a custom resource', () => {
  it('is listed as by kube-apiserver', () => {
    const [group] = servedGroups([widget]);
    const [served] = group?.versions ?? [];
    expect(served && apiResourceList(served)).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'one.example.com/v1',
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wg'],
          categories: ['all'],
          storageVersionHash: 'WZcXw98t74o=',
        },
        {
          name: 'widgets/status',
          singularName: '',
          namespaced: true,
          kind: 'Widget',
          verbs: subresourceVerbs,
        },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: subresourceVerbs,
        },
      ],
    });
  });

  it('has the most stable version as the preferred one', () => {
    const [group] = servedGroups([{ ...widget, version: 'v2beta1' }, widget]);
    expect(group && apiGroup(group)).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'one.example.com',
      versions: [
        { groupVersion: 'one.example.com/v1', version: 'v1' },
        { groupVersion: 'one.example.com/v2beta1', version: 'v2beta1' },
      ],
      preferredVersion: { groupVersion: 'one.example.com/v1', version: 'v1' },
    });
  });
});

it('apiVersions is empty without the core group', () => {
  expect(apiVersions([widget], '127.0.0.1:6443')).toEqual({
    kind: 'APIVersions',
    versions: [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
  });
});
