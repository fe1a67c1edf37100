/** The caches of the node controller. */
import {
  APP_LABEL,
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
  OPERATOR_APP,
  type OSImageStream,
  osImageStream as osImageStreamKind,
  type PinnedImageSet,
  pinnedImageSet as pinnedImageSetKind,
} from '../api/index.ts';
import type { Cache, Caches } from '../kubernetes/client/index.ts';
import { type Node, type Pod, pod as podKind } from '../kubernetes/types/index.ts';
import { nodesOf } from './node-cache.ts';

const OPERATOR_PODS = `${APP_LABEL}=${OPERATOR_APP}`;

export type NodeSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly streams: Cache<OSImageStream>;
  readonly osConfigs: Cache<MachineOSConfig>;
  readonly osBuilds: Cache<MachineOSBuild>;
  readonly pinnedImageSets: Cache<PinnedImageSet>;
  readonly operatorPods: Cache<Pod>;
};

export function nodeSources(caches: Caches, namespace: string): NodeSources {
  return {
    pools: caches.of(machineConfigPoolKind),
    nodes: nodesOf(caches),
    machineConfigNodes: caches.of(machineConfigNodeKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    streams: caches.of(osImageStreamKind),
    osConfigs: caches.of(machineOSConfigKind),
    osBuilds: caches.of(machineOSBuildKind),
    pinnedImageSets: caches.of(pinnedImageSetKind),
    operatorPods: caches.of(podKind, { namespace, labelSelector: OPERATOR_PODS }),
  };
}
