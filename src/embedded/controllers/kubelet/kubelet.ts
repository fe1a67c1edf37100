/**
 * Kubelets of simulated nodes. One controller looks after all their pods and one after the nodes themselves, so that a pod
 * that cannot be written never keeps a node from saying that it is there.
 */
import type { Controller } from '../../../kubernetes/client/index.ts';
import type { NodeContext } from '../node-context.ts';
import { createKubeletNodeController } from './node-controller.ts';
import { createKubeletPodController } from './pod-controller.ts';

export function createKubelets(context: NodeContext): readonly Controller[] {
  return [createKubeletNodeController(context), createKubeletPodController(context)];
}
