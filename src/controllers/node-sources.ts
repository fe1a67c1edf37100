/** The caches of the node controller. */
import {
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  NAMESPACE,
  type OSImageStream,
  osImageStream as osImageStreamKind,
} from '../api/index.ts';
import type { Cache, Caches } from '../kubernetes/client/index.ts';
import { type Node, type Pod, pod as podKind } from '../kubernetes/types/index.ts';
import { nodesOf } from './node-cache.ts';

const OPERATOR_PODS = 'k8s-app=machine-config-operator';

export type NodeSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly streams: Cache<OSImageStream>;
  readonly osConfigs: Cache<MachineOSConfig>;
  readonly osBuilds: Cache<MachineOSBuild>;
  readonly operatorPods: Cache<Pod>;
};

export function nodeSources(caches: Caches): NodeSources {
  return {
    pools: caches.of(machineConfigPoolKind),
    nodes: nodesOf(caches),
    machineConfigNodes: caches.of(machineConfigNodeKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    streams: caches.of(osImageStreamKind),
    osConfigs: caches.of(machineOSConfigKind),
    osBuilds: caches.of(machineOSBuildKind),
    operatorPods: caches.of(podKind, { namespace: NAMESPACE, labelSelector: OPERATOR_PODS }),
  };
}
