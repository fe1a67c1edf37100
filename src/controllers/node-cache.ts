/**
 * The cache of nodes that the controllers share, without the lists of images and volumes: they are most of a node, change
 * with every pod, are not needed, and would use much memory with 5,000 nodes. Of `managedFields` it has who cordoned a node.
 */

import type { Cache, Caches } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';
import { cordonFields } from '../rollout/index.ts';

export function nodesOf(caches: Caches): Cache<Node> {
  return caches.of(nodeKind, { transform: nodeForCache });
}

export function nodeForCache(node: Node, managedFields: readonly unknown[]): Node {
  const { images: _, volumesInUse: __, volumesAttached: ___, ...status } = node.status ?? {};
  const slim = node.status === undefined ? node : { ...node, status };
  const kept = cordonFields(node, managedFields);
  return kept.length === 0 ? slim : { ...slim, metadata: { ...slim.metadata, managedFields: kept } };
}
