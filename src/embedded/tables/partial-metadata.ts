/**
 * PartialObjectMetadata: objects without spec and status, for clients that watch many objects.
 */

import type { JsonObject } from '../../base/json.ts';
import { type ListMeta, META_API_VERSION } from '../../kubernetes/types/index.ts';

/** Both versions are equal; v1beta1 is for old clients. */
export type MetaApiVersion = typeof META_API_VERSION | 'meta.k8s.io/v1beta1';

type ServedMetadata = {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: MetaApiVersion;
  readonly metadata: unknown;
};

type ServedMetadataList = {
  readonly kind: 'PartialObjectMetadataList';
  readonly apiVersion: MetaApiVersion;
  readonly metadata: ListMeta;
  /** kube-apiserver writes null for an empty list. */
  readonly items: readonly ServedMetadata[] | null;
};

export function partialMetadata(
  object: JsonObject,
  apiVersion: MetaApiVersion = META_API_VERSION,
): ServedMetadata {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion,
    metadata: object.metadata ?? { creationTimestamp: null },
  };
}

export function partialMetadataList({
  objects,
  metadata,
  apiVersion = META_API_VERSION,
}: {
  readonly objects: readonly JsonObject[];
  readonly metadata: ListMeta;
  readonly apiVersion?: MetaApiVersion;
}): ServedMetadataList {
  const items = objects.map((object) => partialMetadata(object, apiVersion));
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata,
    items: items.length === 0 ? null : items,
  };
}
