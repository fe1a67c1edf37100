/**
 * The status of a node.
 */
import {
  boolean,
  type Infer,
  int32,
  int64,
  named,
  nullable,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../schema/index.ts';
import { conditionFields } from './conditions.ts';
import { always, filled, items, keyed, nullableTime, quantities, strings, withDefault } from './fields.ts';

/** No longer used. */
export const nodeConfigSource = (description: string) =>
  struct('core.NodeConfigSource', description, {
    configMap: struct('core.ConfigMapNodeConfigSource', 'A ConfigMap.', {
      namespace: required(string('Its namespace.')),
      name: required(string('Its name.')),
      kubeletConfigKey: required(string('The key in it.')),
      resourceVersion: string('Its version.'),
      uid: named('types.UID', string('Its identity.')),
    }),
  });

const nodeConditionShape = struct('core.NodeCondition', 'One aspect of the state of the node.', {
  ...conditionFields('core.NodeCondition'),
  lastHeartbeatTime: nullableTime('When it was last reported.'),
});
export type NodeCondition = {
  readonly [Field in keyof Infer<typeof nodeConditionShape>]: Infer<typeof nodeConditionShape>[Field];
};
const nodeCondition: Schema<NodeCondition> = nodeConditionShape;

const nodeInfoShape = struct('core.NodeSystemInfo', 'Information about the node.', {
  machineID: always(string('The id of its installation, from /etc/machine-id.')),
  systemUUID: always(string('The id of its hardware.')),
  bootID: always(string('The id of this boot; another one means that it has rebooted.')),
  kernelVersion: always(string('The kernel version, as uname prints it.')),
  osImage: always(string('The operating system, as /etc/os-release names it.')),
  containerRuntimeVersion: always(string('The container runtime, such as cri-o://1.33.0.')),
  kubeletVersion: always(string('The kubelet.')),
  kubeProxyVersion: always(string('No longer set.')),
  operatingSystem: always(string('linux or windows.')),
  architecture: always(string('The architecture (GOARCH): amd64, arm64.')),
  swap: struct('core.NodeSwapStatus', 'Its swap space.', {
    capacity: pointer(int64('How large, in bytes.')),
  }),
});
export type NodeSystemInfo = {
  readonly [Field in keyof Infer<typeof nodeInfoShape>]: Infer<typeof nodeInfoShape>[Field];
};
const nodeInfo: Schema<NodeSystemInfo> = nodeInfoShape;

const nodeStatusShape = struct('core.NodeStatus', 'The status of the node.', {
  conditions: keyed('The conditions of the node.', nodeCondition, ['type']),
  addresses: keyed(
    'Where the node can be reached.',
    struct('core.NodeAddress', 'An address.', {
      type: always(
        named(
          'core.NodeAddressType',
          string('Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.'),
        ),
      ),
      address: always(string('The address.')),
    }),
    ['type'],
  ),
  capacity: quantities('The resources of the node.'),
  allocatable: quantities('The resources that pods may use.'),
  nodeInfo: filled(nodeInfo),
  daemonEndpoints: filled(
    struct('core.NodeDaemonEndpoints', 'Ports of daemons on the node.', {
      kubeletEndpoint: filled(
        struct('core.DaemonEndpoint', 'The kubelet.', { Port: always(int32('The port.')) }),
      ),
    }),
  ),
  images: items(
    'Images that are on the node.',
    struct('core.ContainerImage', 'An image.', {
      names: nullable(strings('Its names.', 'A name.')),
      sizeBytes: int64('Its size.'),
    }),
  ),
  volumesAttached: items(
    'Volumes that are attached.',
    struct('core.AttachedVolume', 'A volume.', {
      name: always(named('core.UniqueVolumeName', string('Its name.'))),
      devicePath: always(string('Its device.')),
    }),
  ),
  volumesInUse: items('Volumes that are mounted.', named('core.UniqueVolumeName', string('A name.'))),
  runtimeHandlers: items(
    'Ways in which containers can be run here.',
    struct('core.NodeRuntimeHandler', 'A way.', {
      name: withDefault(string('Its name; empty for the usual one.'), ''),
      features: struct('core.NodeRuntimeHandlerFeatures', 'Its features.', {
        recursiveReadOnlyMounts: pointer(boolean('Mounts that are read-only all the way down.')),
        userNamespaces: pointer(boolean('User namespaces for pods.')),
      }),
    }),
  ),
  features: struct('core.NodeFeatures', 'The features of the node.', {
    supplementalGroupsPolicy: pointer(boolean('The field of that name in pods.')),
  }),
  config: struct('core.NodeConfigStatus', 'The progress of dynamic kubelet configuration; no longer set.', {
    assigned: nodeConfigSource('The configuration that is assigned.'),
    active: nodeConfigSource('The configuration in use.'),
    lastKnownGood: nodeConfigSource('The configuration to which it falls back.'),
    error: string('The error of the assigned configuration.'),
  }),
  phase: named('core.NodePhase', oneOf('No longer set.', ['Pending', 'Running', 'Terminated'])),
});
export type NodeStatus = {
  readonly [Field in keyof Infer<typeof nodeStatusShape>]: Infer<typeof nodeStatusShape>[Field];
};
export const nodeStatus: Schema<NodeStatus> = nodeStatusShape;
