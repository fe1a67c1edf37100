/**
 * The nodes as controllers see them. What a node has in store, its images and volumes, is most of it and is written anew
 * with every pod that comes or goes; nobody here reads it, and of 5,000 nodes it would fill a process.
 */

import type { Cache, Caches } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';

export function nodesOf(caches: Caches): Cache<Node> {
  return caches.of(nodeKind, { transform: withoutStores });
}

export function withoutStores(node: Node): Node {
  const { images: _, volumesInUse: __, volumesAttached: ___, ...status } = node.status ?? {};
  return node.status === undefined ? node : { ...node, status };
}
