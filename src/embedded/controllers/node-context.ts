/**
 * What the stand-ins for scheduler, kubelets and node lifecycle are made from.
 */

import type { Env } from '../../base/env.ts';
import type { Caches, EventRecorder, EventSubject, Kube } from '../../kubernetes/client/index.ts';
import type { Pod } from '../../kubernetes/types/index.ts';
import type { MachineState } from './kubelet/machine-state.ts';
import type { SimulatedNode } from './kubelet/node-status.ts';
import type { NodeSettings } from './node-settings.ts';

export type NodeContext = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Pick<Env, 'clock'>;
  readonly settings: NodeSettings;
  readonly power: MachineState;
  /** Whose kubelets are simulated. Other nodes may be there too; they look after themselves. */
  readonly nodes: readonly SimulatedNode[];
  /** For each component one that speaks in its name, as people know them: `default-scheduler`, `kubelet`. */
  readonly events: (component: string) => EventRecorder;
};

/** How caches file pods: by the node to which they are bound. */
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

/** Kubelets name a node by its name where others give its uid, and so does `kubectl describe` look for it. */
export function aboutNode(name: string, uid: string = name): EventSubject {
  return { apiVersion: 'v1', kind: 'Node', name, uid };
}
