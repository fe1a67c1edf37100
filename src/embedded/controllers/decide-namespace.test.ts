import { describe, expect, it } from 'vitest';
import { aConfigMap, ago, aPod, NOW_MS } from '../../../test/support/build-workloads.ts';
import { formatWrites } from '../../../test/support/format-writes.ts';
import { configMap, type Namespace, pod, role } from '../../kubernetes/types/index.ts';
import {
  type Contents,
  decideContents,
  finalized,
  isToBeEmptied,
  namespaceConditions,
} from './decide-namespace.ts';

function aNamespace(given: Partial<Namespace> = {}): Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'space', deletionTimestamp: ago(5) },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
    ...given,
  };
}

const going = { deletionTimestamp: ago(1) };
const maps: Contents = { resource: configMap, objects: [aConfigMap('a'), aConfigMap('b', going)] };
const pods: Contents = { resource: pod, objects: [aPod('p')] };

describe('a namespace', () => {
  it('is emptied only while it is terminating and not finalized', () => {
    expect(isToBeEmptied(aNamespace())).toBe(true);
    expect(isToBeEmptied(aNamespace({ metadata: { name: 'space' } }))).toBe(false);
    expect(isToBeEmptied(aNamespace({ spec: { finalizers: ['example.com/x'] } }))).toBe(false);
    const { spec: _, ...bare } = aNamespace();
    expect(isToBeEmptied(bare)).toBe(false);
  });

  it('has its pods deleted first', () => {
    expect(formatWrites(decideContents([maps, pods]))).toEqual(['delete pods/p Background']);
    const leaving = { resource: pod, objects: [aPod('p', { leaves: true })] };
    expect(decideContents([maps, leaving])).toEqual([]);
  });

  it('then has everything else deleted that is not terminating', () => {
    expect(formatWrites(decideContents([maps, { resource: pod, objects: [] }]))).toEqual([
      'delete configmaps/a Background',
    ]);
  });

  it('keeps foreign finalizers', () => {
    const write = finalized(aNamespace({ spec: { finalizers: ['example.com/x', 'kubernetes'] } }));
    expect(write).toMatchObject({
      kind: 'update',
      subresource: 'finalize',
      object: { spec: { finalizers: ['example.com/x'] } },
    });
  });
});

describe('the conditions of a namespace', () => {
  const text = (one: Namespace, contents: readonly Contents[], refusals: readonly string[] = []) =>
    namespaceConditions(one, { contents, refusals, nowMs: NOW_MS }).map(
      ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
    );
  const fine = [
    'NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered',
    'NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed',
    'NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    'NamespaceContentRemaining=False ContentRemoved: All content successfully removed',
    'NamespaceFinalizersRemaining=False ContentHasNoFinalizers: All content-preserving finalizers finished',
  ];

  it('report that nothing remains', () => {
    expect(text(aNamespace(), [])).toEqual(fine);
  });

  it('report remaining objects and finalizers', () => {
    const contents = [
      { resource: role, objects: [aConfigMap('r', { finalizers: ['b.com/x'] })] },
      {
        resource: configMap,
        objects: [aConfigMap('a', { finalizers: ['b.com/x', 'a.com/y'] }), aConfigMap('b')],
      },
    ];
    expect(text(aNamespace(), contents).slice(3)).toEqual([
      'NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances, roles.rbac.authorization.k8s.io has 1 resource instances',
      'NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a.com/y in 1 resource instances, b.com/x in 2 resource instances',
    ]);
  });

  it('report failed deletions', () => {
    expect(text(aNamespace(), [], ['not that', 'never'])[2]).toBe(
      'NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: never, not that',
    );
  });

  it('keep foreign conditions and unchanged transition times', () => {
    const other = { type: 'Other', status: 'True', reason: 'X', message: '', lastTransitionTime: ago(99) };
    const view = { contents: [], refusals: [], nowMs: NOW_MS };
    const first = namespaceConditions(aNamespace({ status: { conditions: [other] } }), view);
    expect(first[0]).toEqual(other);
    const later = namespaceConditions(aNamespace({ status: { conditions: first } }), {
      ...view,
      nowMs: NOW_MS + 9000,
    });
    expect(later).toEqual(first);
  });
});
