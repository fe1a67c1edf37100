/**
 * Simulated kubelets: one controller for pods and one for nodes, so that a failing pod never delays a heartbeat.
 */
import type { Controller } from '../../../kubernetes/client/index.ts';
import type { NodeContext } from '../node-context.ts';
import { createKubeletNodeController } from './node-controller.ts';
import { createKubeletPodController } from './pod-controller.ts';

export function createKubelets(context: NodeContext): readonly Controller[] {
  return [createKubeletNodeController(context), createKubeletPodController(context)];
}
