/**
 * The program that runs containers on a node, as its kubelet reports it.
 */
import type { Node } from '../../kubernetes/types/index.ts';

export const CONTAINERD = 'containerd';

type Reporting = Pick<Node, 'status'> | undefined;

/** `cri-o://1.33.1` is `cri-o`. Undefined where it is not known. */
export function containerRuntimeOf(node: Reporting): string | undefined {
  return reported(node)?.[1];
}

/** `containerd://1.6.20` is `1.6.20`. */
export function containerRuntimeVersionOf(node: Reporting): string | undefined {
  return reported(node)?.[2];
}

function reported(node: Reporting): RegExpExecArray | null {
  return /^([a-z0-9-]+):\/\/(.*)$/.exec(node?.status?.nodeInfo?.containerRuntimeVersion ?? '');
}
