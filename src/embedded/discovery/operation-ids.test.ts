import { expect, it } from 'vitest';
import { friendlyGroup, type OperationName, operationId } from './operation-ids.ts';

it.each([
  ['', 'core'],
  ['apps', 'apps'],
  ['events.k8s.io', 'events'],
  ['rbac.authorization.k8s.io', 'rbacAuthorization'],
  ['b-dash.example.com', 'bDashExampleCom'],
])('the group %s is called %s', (group, name) => {
  expect(friendlyGroup(group)).toBe(name);
});

const pod: Omit<OperationName, 'verb'> = { group: '', version: 'v1', kind: 'Pod', isNamespaced: true };

it.each<[OperationName, string]>([
  [{ ...pod, verb: 'list' }, 'listCoreV1NamespacedPod'],
  [{ ...pod, verb: 'list', isOverAll: true }, 'listCoreV1PodForAllNamespaces'],
  [{ ...pod, verb: 'create' }, 'createCoreV1NamespacedPod'],
  [{ ...pod, verb: 'deletecollection' }, 'deleteCoreV1CollectionNamespacedPod'],
  [{ ...pod, verb: 'get', subresource: 'log' }, 'readCoreV1NamespacedPodLog'],
  [{ ...pod, verb: 'create', subresource: 'eviction' }, 'createCoreV1NamespacedPodEviction'],
  [
    { ...pod, verb: 'update', kind: 'Node', isNamespaced: false, subresource: 'status' },
    'replaceCoreV1NodeStatus',
  ],
  [
    { verb: 'patch', group: 'one.example.com', version: 'v2beta1', kind: 'Widget', isNamespaced: true },
    'patchOneExampleComV2beta1NamespacedWidget',
  ],
])('an operation is called as in the documents of Kubernetes: %o', (name, expected) => {
  expect(operationId(name)).toBe(expected);
});
