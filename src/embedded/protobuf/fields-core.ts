/**
 * Fields of the core group beside pods: nodes, namespaces, services, ConfigMaps, Secrets.
 * How to read them is said in `field-table.ts`.
 */
import type { FieldTable } from './field-table.ts';

export const CORE_FIELDS: FieldTable = {
  AttachedVolume: '1 name string!, 2 devicePath string!',
  Binding: '1 metadata ObjectMeta, 2 target ObjectReference!',
  ClientIPConfig: '1 timeoutSeconds ?int',
  ConfigMap: '1 metadata ObjectMeta, 4 immutable ?bool, 2 data {string}, 3 binaryData {bytes}',
  ConfigMapNodeConfigSource: `
    1 namespace string!, 2 name string!, 3 uid string, 4 resourceVersion string,
    5 kubeletConfigKey string!`,
  ContainerImage: '1 names [string]!, 2 sizeBytes long',
  DaemonEndpoint: '1 Port int!',
  EndpointAddress: '1 ip string!, 3 hostname string, 4 nodeName ?string, 2 targetRef ?ObjectReference',
  EndpointPort: '1 name string, 2 port int!, 3 protocol string, 4 appProtocol ?string',
  EndpointSubset: `
    1 addresses [EndpointAddress], 2 notReadyAddresses [EndpointAddress], 3 ports [EndpointPort]`,
  Endpoints: '1 metadata ObjectMeta, 2 subsets [EndpointSubset]',
  Event: `
    1 metadata ObjectMeta!, 2 involvedObject ObjectReference!, 3 reason string, 4 message string,
    5 source EventSource, 6 firstTimestamp time, 7 lastTimestamp time, 8 count int, 9 type string,
    10 eventTime microTime, 11 series ?EventSeries, 12 action string, 13 related ?ObjectReference,
    14 reportingComponent string!, 15 reportingInstance string!`,
  EventSeries: '1 count int, 2 lastObservedTime microTime',
  EventSource: '1 component string, 2 host string',
  LoadBalancerIngress: '1 ip string, 2 hostname string, 3 ipMode ?string, 4 ports [PortStatus]',
  LoadBalancerStatus: '1 ingress [LoadBalancerIngress]',
  LocalObjectReference: '1 name string',
  Namespace: '1 metadata ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus',
  NamespaceCondition: `
    1 type string!, 2 status string!, 4 lastTransitionTime time, 5 reason string, 6 message string`,
  NamespaceSpec: '1 finalizers [string]',
  NamespaceStatus: '1 phase string, 2 conditions [NamespaceCondition]',
  Node: '1 metadata ObjectMeta, 2 spec NodeSpec, 3 status NodeStatus',
  NodeAddress: '1 type string!, 2 address string!',
  NodeCondition: `
    1 type string!, 2 status string!, 3 lastHeartbeatTime time, 4 lastTransitionTime time,
    5 reason string, 6 message string`,
  NodeConfigSource: '2 configMap ?ConfigMapNodeConfigSource',
  NodeConfigStatus: `
    1 assigned ?NodeConfigSource, 2 active ?NodeConfigSource, 3 lastKnownGood ?NodeConfigSource,
    4 error string`,
  NodeDaemonEndpoints: '1 kubeletEndpoint DaemonEndpoint',
  NodeFeatures: '1 supplementalGroupsPolicy ?bool',
  NodeRuntimeHandler: '1 name string!, 2 features ?NodeRuntimeHandlerFeatures',
  NodeRuntimeHandlerFeatures: '1 recursiveReadOnlyMounts ?bool, 2 userNamespaces ?bool',
  NodeSpec: `
    1 podCIDR string, 7 podCIDRs [string], 3 providerID string, 4 unschedulable bool, 5 taints [Taint],
    6 configSource ?NodeConfigSource, 2 externalID string`,
  NodeStatus: `
    1 capacity {quantity}, 2 allocatable {quantity}, 3 phase string, 4 conditions [NodeCondition],
    5 addresses [NodeAddress], 6 daemonEndpoints NodeDaemonEndpoints, 7 nodeInfo NodeSystemInfo,
    8 images [ContainerImage], 9 volumesInUse [string], 10 volumesAttached [AttachedVolume],
    11 config ?NodeConfigStatus, 12 runtimeHandlers [NodeRuntimeHandler], 13 features ?NodeFeatures`,
  NodeSwapStatus: '1 capacity ?long',
  NodeSystemInfo: `
    1 machineID string!, 2 systemUUID string!, 3 bootID string!, 4 kernelVersion string!,
    5 osImage string!, 6 containerRuntimeVersion string!, 7 kubeletVersion string!,
    8 kubeProxyVersion string!, 9 operatingSystem string!, 10 architecture string!,
    11 swap ?NodeSwapStatus`,
  ObjectReference: `
    1 kind string, 2 namespace string, 3 name string, 4 uid string, 5 apiVersion string,
    6 resourceVersion string, 7 fieldPath string`,
  PodTemplateSpec: '1 metadata ObjectMeta, 2 spec PodSpec',
  PortStatus: '1 port int!, 2 protocol string!, 3 error ?string',
  Secret: '1 metadata ObjectMeta, 5 immutable ?bool, 2 data {bytes}, 4 stringData {string}, 3 type string',
  Service: '1 metadata ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus',
  ServiceAccount: `
    1 metadata ObjectMeta, 2 secrets [ObjectReference], 3 imagePullSecrets [LocalObjectReference],
    4 automountServiceAccountToken ?bool`,
  ServicePort: `
    1 name string, 2 protocol string, 6 appProtocol ?string, 3 port int!, 4 targetPort intOrString,
    5 nodePort int`,
  ServiceSpec: `
    1 ports [ServicePort], 2 selector {string}, 3 clusterIP string, 18 clusterIPs [string],
    4 type string, 5 externalIPs [string], 7 sessionAffinity string, 8 loadBalancerIP string,
    9 loadBalancerSourceRanges [string], 10 externalName string, 11 externalTrafficPolicy string,
    12 healthCheckNodePort int, 13 publishNotReadyAddresses bool,
    14 sessionAffinityConfig ?SessionAffinityConfig, 19 ipFamilies [string], 17 ipFamilyPolicy ?string,
    20 allocateLoadBalancerNodePorts ?bool, 21 loadBalancerClass ?string,
    22 internalTrafficPolicy ?string, 23 trafficDistribution ?string`,
  ServiceStatus: '1 loadBalancer LoadBalancerStatus, 2 conditions [Condition]',
  SessionAffinityConfig: '1 clientIP ?ClientIPConfig',
  Taint: '1 key string!, 2 value string, 3 effect string!, 4 timeAdded ?time',
};
