/**
 * Kubelets of simulated nodes. One controller looks after all their pods and one after the nodes themselves, so that a pod
 * that cannot be written never keeps a node from saying that it is there.
 */
import type { Controller } from '../kube/index.ts';
import { createKubeletNodes } from './kubelet-nodes.ts';
import { createKubeletPods } from './kubelet-pods.ts';
import type { NodeContext } from './node-context.ts';

export function createKubelets(context: NodeContext): readonly Controller[] {
  return [createKubeletNodes(context), createKubeletPods(context)];
}
