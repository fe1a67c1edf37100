/**
 * The program that runs containers on a node, as its kubelet reports it.
 */
import type { Node } from '../../kubernetes/types/index.ts';

export const CONTAINERD = 'containerd';

/** `cri-o://1.33.1` is `cri-o`. Undefined where it is not known. */
export function containerRuntimeOf(node: Pick<Node, 'status'> | undefined): string | undefined {
  const version = node?.status?.nodeInfo?.containerRuntimeVersion ?? '';
  return /^([a-z0-9-]+):\/\//.exec(version)?.[1];
}
