import { describe, expect, it } from 'vitest';
import {
  type ApiResource,
  apiVersionText,
  kindLabel,
  objectLabel,
  pathsOfGroups,
  resourceLabel,
  resourcesOfGroups,
  resourcesOfList,
} from './api-resource.ts';

const pools: ApiResource = {
  group: 'machineconfiguration.openshift.io',
  version: 'v1',
  plural: 'machineconfigpools',
  singular: 'machineconfigpool',
  kind: 'MachineConfigPool',
  scope: 'Cluster',
  shortNames: ['mcp'],
  categories: [],
  verbs: ['get', 'list'],
};

describe('malformed discovery responses', () => {
  it.each([null, 3, 'text', [], {}, { kind: 'APIGroupList' }, { kind: 'Status', items: [{}] }])(
    '%j is not the newer form',
    (answer) => expect(resourcesOfGroups(answer)).toBeUndefined(),
  );

  it.each([null, 3, 'text', [], {}, { resources: 3 }, { resources: [null, 3] }])(
    '%j has no resources',
    (answer) => expect(resourcesOfList(answer)).toEqual([]),
  );

  it('treats fields of a wrong type as empty', () => {
    const answer = {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: 3, versions: [{ version: 4, resources: [{ resource: [], verbs: [1, 'get'] }] }] }],
    };
    const nothing = { group: '', version: '', plural: '', singular: '', kind: '', scope: 'Cluster' };
    expect(resourcesOfGroups(answer)).toEqual([
      { ...nothing, shortNames: [], categories: [], verbs: ['get'] },
    ]);
  });
});

it('resourcesOfGroups parses aggregated discovery', () => {
  const resource = {
    resource: 'machineconfigpools',
    responseKind: { group: pools.group, version: 'v1', kind: 'MachineConfigPool' },
    scope: 'Cluster',
    singularResource: 'machineconfigpool',
    shortNames: ['mcp'],
    verbs: ['get', 'list'],
    subresources: [{ subresource: 'status' }],
  };
  const answer = {
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name: pools.group }, versions: [{ version: 'v1', resources: [resource] }] }],
  };
  expect(resourcesOfGroups(answer)).toEqual([pools]);
});

it('resourcesOfList parses one group version and skips subresources', () => {
  const resource = {
    name: 'machineconfigpools',
    singularName: 'machineconfigpool',
    kind: 'MachineConfigPool',
    namespaced: false,
    shortNames: ['mcp'],
    verbs: ['get', 'list'],
  };
  const answer = {
    groupVersion: 'machineconfiguration.openshift.io/v1',
    resources: [resource, { ...resource, name: 'machineconfigpools/status' }],
  };
  expect(resourcesOfList(answer)).toEqual([pools]);
  expect(
    resourcesOfList({ groupVersion: 'v1', resources: [{ name: 'pods', namespaced: true }] }),
  ).toMatchObject([{ group: '', version: 'v1', plural: 'pods', scope: 'Namespaced' }]);
});

it('pathsOfGroups puts the preferred version of a group first', () => {
  const versions = [{ groupVersion: 'a/v1beta1' }, { groupVersion: 'a/v1' }];
  const groups = [
    { name: 'a', versions, preferredVersion: { groupVersion: 'a/v1' } },
    { name: 'b', versions: [{ groupVersion: 'b/v1' }] },
  ];
  expect(pathsOfGroups({ groups })).toEqual(['/apis/a/v1', '/apis/a/v1beta1', '/apis/b/v1']);
});

it('labels of objects and resources match those of kubectl', () => {
  expect(objectLabel(pools, 'worker')).toBe('machineconfigpool.machineconfiguration.openshift.io/worker');
  expect(kindLabel({ ...pools, group: '' })).toBe('machineconfigpool');
  expect(resourceLabel(pools)).toBe('machineconfigpools.machineconfiguration.openshift.io');
  expect(resourceLabel({ ...pools, group: '' })).toBe('machineconfigpools');
  expect([apiVersionText(pools), apiVersionText({ group: '', version: 'v1' })]).toEqual([
    'machineconfiguration.openshift.io/v1',
    'v1',
  ]);
});
