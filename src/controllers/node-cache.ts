/**
 * The cache of nodes that the controllers share, without the lists of images and volumes: they are most of a node, change
 * with every pod, are not needed, and would use much memory with 5,000 nodes.
 */

import type { Cache, Caches } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';

export function nodesOf(caches: Caches): Cache<Node> {
  return caches.of(nodeKind, { transform: withoutImagesAndVolumes });
}

export function withoutImagesAndVolumes(node: Node): Node {
  const { images: _, volumesInUse: __, volumesAttached: ___, ...status } = node.status ?? {};
  return node.status === undefined ? node : { ...node, status };
}
