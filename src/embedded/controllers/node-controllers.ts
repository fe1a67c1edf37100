/**
 * The controllers about nodes: scheduler, simulated kubelets, node lifecycle.
 */
import type { Env } from '../../base/env.ts';
import { Pauses } from '../../base/pauses.ts';
import {
  type Caches,
  type Controller,
  createEventRecorder,
  type EventRecorder,
  type Kube,
} from '../../kubernetes/client/index.ts';
import { createKubelets } from './kubelet/kubelet.ts';
import type { MachineState } from './kubelet/machine-state.ts';
import type { SimulatedNode } from './kubelet/node-status.ts';
import { SimulatedNodes } from './kubelet/simulated-nodes.ts';
import type { NodeContext, PodExecutions } from './node-context.ts';
import { createNodeLifecycle } from './node-lifecycle/node-lifecycle.ts';
import { createPodGarbageCollector } from './node-lifecycle/pod-garbage-collector.ts';
import { createTaintEviction } from './node-lifecycle/taint-eviction.ts';
import type { NodeSettings } from './node-settings.ts';
import { createScheduler } from './scheduler/scheduler.ts';

type NodeControllersOptions = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Env;
  readonly settings: NodeSettings;
  readonly power: MachineState;
  readonly nodes: readonly SimulatedNode[] | SimulatedNodes;
  /** Pods whose containers are processes of this machine; by default none. */
  readonly executions?: PodExecutions;
  /** Default: recorders that write through `kube`. */
  readonly events?: (component: string) => EventRecorder;
};

export function createNodeControllers(options: NodeControllersOptions): readonly Controller[] {
  const { kube, env } = options;
  const events = (component: string): EventRecorder =>
    createEventRecorder({ kube, env, component, namespace: NODE_EVENT_NAMESPACE });
  const nodes = options.nodes instanceof SimulatedNodes ? options.nodes : new SimulatedNodes(options.nodes);
  const context: NodeContext = { events, ...options, nodes, pauses: new Pauses(env) };
  return [
    createScheduler(context),
    ...createKubelets(context),
    createNodeLifecycle(context),
    createTaintEviction(context),
    createPodGarbageCollector(context),
  ];
}

/** The namespace of events about nodes, like in Kubernetes. */
export const NODE_EVENT_NAMESPACE = 'default';
