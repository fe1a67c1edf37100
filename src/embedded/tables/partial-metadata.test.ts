import { describe, expect, it } from 'vitest';
import { partialMetadata, partialMetadataList } from './partial-metadata.ts';

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
});
