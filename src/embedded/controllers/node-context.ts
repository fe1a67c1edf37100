/**
 * Dependencies of scheduler, kubelets and node lifecycle controllers.
 */

import type { Env } from '../../base/env.ts';
import type { Pauses } from '../../base/pauses.ts';
import type { Caches, EventRecorder, EventSubject, Kube } from '../../kubernetes/client/index.ts';
import type { Pod } from '../../kubernetes/types/index.ts';
import type { MachineState } from './kubelet/machine-state.ts';
import type { PodExecution } from './kubelet/pod-step.ts';
import type { SimulatedNodes } from './kubelet/simulated-nodes.ts';
import type { NodeSettings } from './node-settings.ts';

export type NodeContext = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Pick<Env, 'clock'>;
  readonly settings: NodeSettings;
  /** Of this process. Kubelets are part of it: what they miss is not their fault. */
  readonly pauses: Pauses;
  readonly power: MachineState;
  /** Nodes with simulated kubelets. Other nodes are ignored by them. */
  readonly nodes: SimulatedNodes;
  /** Pods whose containers are processes of this machine; by default none. */
  readonly executions?: PodExecutions;
  /** The recorder of a component, such as `default-scheduler` or `kubelet`. */
  readonly events: (component: string) => EventRecorder;
};

/** Runs the containers of certain pods. */
export type PodExecutions = {
  /** Undefined for a pod that is simulated. */
  readonly of: (pod: Pod) => PodExecution | undefined;
  /** A container has ended: its node is reconciled. */
  readonly onChange: (listener: (node: string) => void) => void;
};

/** Cache index of pods by node. */
export const byNode = {
  node: ({ spec: { nodeName = '' } }: Pod): readonly string[] => (nodeName === '' ? [] : [nodeName]),
};

export function aboutPod({ metadata: { name, namespace, uid } }: Pod): EventSubject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** Kubelets use the name of a node as its UID in events, which `kubectl describe` relies on. */
export function aboutNode(name: string, uid: string = name): EventSubject {
  return { apiVersion: 'v1', kind: 'Node', name, uid };
}
