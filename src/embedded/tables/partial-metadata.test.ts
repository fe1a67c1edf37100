import { describe, expect, it } from 'vitest';
import { clusterRole, configMap, eventsEvent } from '../../kubernetes/types/index.ts';
import { partialMetadata, partialMetadataList, partialMetadataRefusal } from './partial-metadata.ts';

const origin = 'builtin';

describe('partialMetadata', () => {
  it('returns kind, apiVersion and metadata only', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', labels: { b: 'c' } },
      data: { k: 'dg==' },
    };
    expect(partialMetadata(object)).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', labels: { b: 'c' } },
    });
  });

  it('returns what kube-apiserver writes for an object without metadata', () => {
    expect(partialMetadata({}, 'meta.k8s.io/v1beta1')).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1beta1',
      metadata: { creationTimestamp: null },
    });
  });

  it('returns null items for an empty list', () => {
    const metadata = { resourceVersion: '7' };
    expect(partialMetadataList({ objects: [{ metadata: { name: 'a' } }], metadata })).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }],
    });
    expect(partialMetadataList({ objects: [], metadata }).items).toBeNull();
  });

  // Recorded from kube-apiserver 1.33.
  it.each([
    [{ ...configMap, origin }, 'a list (*core.ConfigMapList)'],
    [{ ...eventsEvent, origin }, 'a list (*core.EventList)'],
    [{ ...clusterRole, origin }, 'a list (*rbac.ClusterRoleList)'],
    [{ ...configMap, origin: 'custom' }, 'a list (*unstructured.UnstructuredList)'],
  ] as const)('of one object is refused for a list of $0.kind', (resource, found) => {
    expect(partialMetadataRefusal(resource, 'PartialObjectMetadata')).toBe(
      `you requested PartialObjectMetadata, but the requested object is ${found}`,
    );
  });

  it('rejects a list requested as a single object, and the reverse', () => {
    expect(partialMetadataRefusal({ ...configMap, origin }, 'PartialObjectMetadataList')).toBe(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    );
  });
});
