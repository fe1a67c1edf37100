/**
 * Fields of pods: containers, probes, scheduling, statuses.
 * How to read them is said in `field-table.ts`.
 */
import type { FieldTable } from './field-table.ts';

export const POD_FIELDS: FieldTable = {
  Affinity: '1 nodeAffinity ?NodeAffinity, 2 podAffinity ?PodAffinity, 3 podAntiAffinity ?PodAntiAffinity',
  AppArmorProfile: '1 type string!, 2 localhostProfile ?string',
  Capabilities: '1 add [string], 2 drop [string]',
  ConfigMapEnvSource: '1 ...LocalObjectReference, 2 optional ?bool',
  ConfigMapKeySelector: '1 ...LocalObjectReference, 2 key string!, 3 optional ?bool',
  Container: `
    1 name string!, 2 image string, 3 command [string], 4 args [string], 5 workingDir string,
    6 ports [ContainerPort], 19 envFrom [EnvFromSource], 7 env [EnvVar],
    8 resources ResourceRequirements, 23 resizePolicy [ContainerResizePolicy], 24 restartPolicy ?string,
    9 volumeMounts [VolumeMount], 21 volumeDevices [VolumeDevice], 10 livenessProbe ?Probe,
    11 readinessProbe ?Probe, 22 startupProbe ?Probe, 12 lifecycle ?Lifecycle,
    13 terminationMessagePath string, 20 terminationMessagePolicy string, 14 imagePullPolicy string,
    15 securityContext ?SecurityContext, 16 stdin bool, 17 stdinOnce bool, 18 tty bool`,
  ContainerPort: '1 name string, 2 hostPort int, 3 containerPort int!, 4 protocol string, 5 hostIP string',
  ContainerResizePolicy: '1 resourceName string!, 2 restartPolicy string!',
  ContainerState: `
    1 waiting ?ContainerStateWaiting, 2 running ?ContainerStateRunning,
    3 terminated ?ContainerStateTerminated`,
  ContainerStateRunning: '1 startedAt time',
  ContainerStateTerminated: `
    1 exitCode int!, 2 signal int, 3 reason string, 4 message string, 5 startedAt time,
    6 finishedAt time, 7 containerID string`,
  ContainerStateWaiting: '1 reason string, 2 message string',
  ContainerStatus: `
    1 name string!, 2 state ContainerState, 3 lastState ContainerState, 4 ready bool!,
    5 restartCount int!, 6 image string!, 7 imageID string!, 8 containerID string, 9 started ?bool,
    10 allocatedResources {quantity}, 11 resources ?ResourceRequirements,
    12 volumeMounts [VolumeMountStatus], 13 user ?ContainerUser,
    14 allocatedResourcesStatus [ResourceStatus], 15 stopSignal ?string`,
  ContainerUser: '1 linux ?LinuxContainerUser',
  EnvFromSource: '1 prefix string, 2 configMapRef ?ConfigMapEnvSource, 3 secretRef ?SecretEnvSource',
  EnvVar: '1 name string!, 2 value string, 3 valueFrom ?EnvVarSource',
  EnvVarSource: `
    1 fieldRef ?ObjectFieldSelector, 2 resourceFieldRef ?ResourceFieldSelector,
    3 configMapKeyRef ?ConfigMapKeySelector, 4 secretKeyRef ?SecretKeySelector`,
  EphemeralContainer: '1 ...EphemeralContainerCommon, 2 targetContainerName string',
  EphemeralContainerCommon: `
    1 name string!, 2 image string, 3 command [string], 4 args [string], 5 workingDir string,
    6 ports [ContainerPort], 19 envFrom [EnvFromSource], 7 env [EnvVar],
    8 resources ResourceRequirements, 23 resizePolicy [ContainerResizePolicy], 24 restartPolicy ?string,
    9 volumeMounts [VolumeMount], 21 volumeDevices [VolumeDevice], 10 livenessProbe ?Probe,
    11 readinessProbe ?Probe, 22 startupProbe ?Probe, 12 lifecycle ?Lifecycle,
    13 terminationMessagePath string, 20 terminationMessagePolicy string, 14 imagePullPolicy string,
    15 securityContext ?SecurityContext, 16 stdin bool, 17 stdinOnce bool, 18 tty bool`,
  ExecAction: '1 command [string]',
  GRPCAction: '1 port int!, 2 service ?string!',
  HTTPGetAction: `
    1 path string, 2 port intOrString!, 3 host string, 4 scheme string, 5 httpHeaders [HTTPHeader]`,
  HTTPHeader: '1 name string!, 2 value string!',
  HostAlias: '1 ip string!, 2 hostnames [string]',
  HostIP: '1 ip string!',
  Lifecycle: '1 postStart ?LifecycleHandler, 2 preStop ?LifecycleHandler, 3 stopSignal ?string',
  LifecycleHandler: `
    1 exec ?ExecAction, 2 httpGet ?HTTPGetAction, 3 tcpSocket ?TCPSocketAction, 4 sleep ?SleepAction`,
  LinuxContainerUser: '1 uid long!, 2 gid long!, 3 supplementalGroups [long]',
  NodeAffinity: `
    1 requiredDuringSchedulingIgnoredDuringExecution ?NodeSelector,
    2 preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm]`,
  NodeSelector: '1 nodeSelectorTerms [NodeSelectorTerm]!',
  NodeSelectorRequirement: '1 key string!, 2 operator string!, 3 values [string]',
  NodeSelectorTerm: '1 matchExpressions [NodeSelectorRequirement], 2 matchFields [NodeSelectorRequirement]',
  Pod: '1 metadata ObjectMeta, 2 spec PodSpec, 3 status PodStatus',
  PodAffinity: `
    1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
    2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]`,
  PodAffinityTerm: `
    1 labelSelector ?LabelSelector, 2 namespaces [string], 3 topologyKey string!,
    4 namespaceSelector ?LabelSelector, 5 matchLabelKeys [string], 6 mismatchLabelKeys [string]`,
  PodAntiAffinity: `
    1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
    2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]`,
  PodCondition: `
    1 type string!, 7 observedGeneration long, 2 status string!, 3 lastProbeTime time,
    4 lastTransitionTime time, 5 reason string, 6 message string`,
  PodDNSConfig: '1 nameservers [string], 2 searches [string], 3 options [PodDNSConfigOption]',
  PodDNSConfigOption: '1 name string, 2 value ?string',
  PodIP: '1 ip string!',
  PodOS: '1 name string!',
  PodReadinessGate: '1 conditionType string!',
  PodResourceClaim: '1 name string!, 3 resourceClaimName ?string, 4 resourceClaimTemplateName ?string',
  PodResourceClaimStatus: '1 name string!, 2 resourceClaimName ?string',
  PodSchedulingGate: '1 name string!',
  PodSecurityContext: `
    1 seLinuxOptions ?SELinuxOptions, 8 windowsOptions ?WindowsSecurityContextOptions,
    2 runAsUser ?long, 6 runAsGroup ?long, 3 runAsNonRoot ?bool, 4 supplementalGroups [long],
    12 supplementalGroupsPolicy ?string, 5 fsGroup ?long, 7 sysctls [Sysctl],
    9 fsGroupChangePolicy ?string, 10 seccompProfile ?SeccompProfile,
    11 appArmorProfile ?AppArmorProfile, 13 seLinuxChangePolicy ?string`,
  PodSpec: `
    1 volumes [Volume], 20 initContainers [Container], 2 containers [Container]!,
    34 ephemeralContainers [EphemeralContainer], 3 restartPolicy string,
    4 terminationGracePeriodSeconds ?long, 5 activeDeadlineSeconds ?long, 6 dnsPolicy string,
    7 nodeSelector {string}, 8 serviceAccountName string, 9 serviceAccount string,
    21 automountServiceAccountToken ?bool, 10 nodeName string, 11 hostNetwork bool, 12 hostPID bool,
    13 hostIPC bool, 27 shareProcessNamespace ?bool, 14 securityContext ?PodSecurityContext,
    15 imagePullSecrets [LocalObjectReference], 16 hostname string, 17 subdomain string,
    18 affinity ?Affinity, 19 schedulerName string, 22 tolerations [Toleration],
    23 hostAliases [HostAlias], 24 priorityClassName string, 25 priority ?int,
    26 dnsConfig ?PodDNSConfig, 28 readinessGates [PodReadinessGate], 29 runtimeClassName ?string,
    30 enableServiceLinks ?bool, 31 preemptionPolicy ?string, 32 overhead {quantity},
    33 topologySpreadConstraints [TopologySpreadConstraint], 35 setHostnameAsFQDN ?bool, 36 os ?PodOS,
    37 hostUsers ?bool, 38 schedulingGates [PodSchedulingGate], 39 resourceClaims [PodResourceClaim],
    40 resources ?ResourceRequirements`,
  PodStatus: `
    17 observedGeneration long, 1 phase string, 2 conditions [PodCondition], 3 message string,
    4 reason string, 11 nominatedNodeName string, 5 hostIP string, 16 hostIPs [HostIP], 6 podIP string,
    12 podIPs [PodIP], 7 startTime ?time, 10 initContainerStatuses [ContainerStatus],
    8 containerStatuses [ContainerStatus], 9 qosClass string,
    13 ephemeralContainerStatuses [ContainerStatus], 14 resize string,
    15 resourceClaimStatuses [PodResourceClaimStatus]`,
  PreferredSchedulingTerm: '1 weight int!, 2 preference NodeSelectorTerm!',
  Probe: `
    1 ...ProbeHandler, 2 initialDelaySeconds int, 3 timeoutSeconds int, 4 periodSeconds int,
    5 successThreshold int, 6 failureThreshold int, 7 terminationGracePeriodSeconds ?long`,
  ProbeHandler: `
    1 exec ?ExecAction, 2 httpGet ?HTTPGetAction, 3 tcpSocket ?TCPSocketAction, 4 grpc ?GRPCAction`,
  ResourceClaim: '1 name string!, 2 request string',
  ResourceHealth: '1 resourceID string!, 2 health string',
  ResourceRequirements: '1 limits {quantity}, 2 requests {quantity}, 3 claims [ResourceClaim]',
  ResourceStatus: '1 name string!, 2 resources [ResourceHealth]',
  SELinuxOptions: '1 user string, 2 role string, 3 type string, 4 level string',
  SeccompProfile: '1 type string!, 2 localhostProfile ?string',
  SecretEnvSource: '1 ...LocalObjectReference, 2 optional ?bool',
  SecretKeySelector: '1 ...LocalObjectReference, 2 key string!, 3 optional ?bool',
  SecurityContext: `
    1 capabilities ?Capabilities, 2 privileged ?bool, 3 seLinuxOptions ?SELinuxOptions,
    10 windowsOptions ?WindowsSecurityContextOptions, 4 runAsUser ?long, 8 runAsGroup ?long,
    5 runAsNonRoot ?bool, 6 readOnlyRootFilesystem ?bool, 7 allowPrivilegeEscalation ?bool,
    9 procMount ?string, 11 seccompProfile ?SeccompProfile, 12 appArmorProfile ?AppArmorProfile`,
  SleepAction: '1 seconds long!',
  Sysctl: '1 name string!, 2 value string!',
  TCPSocketAction: '1 port intOrString!, 2 host string',
  Toleration: '1 key string, 2 operator string, 3 value string, 4 effect string, 5 tolerationSeconds ?long',
  TopologySpreadConstraint: `
    1 maxSkew int!, 2 topologyKey string!, 3 whenUnsatisfiable string!, 4 labelSelector ?LabelSelector,
    5 minDomains ?int, 6 nodeAffinityPolicy ?string, 7 nodeTaintsPolicy ?string,
    8 matchLabelKeys [string]`,
  VolumeDevice: '1 name string!, 2 devicePath string!',
  VolumeMount: `
    1 name string!, 2 readOnly bool, 7 recursiveReadOnly ?string, 3 mountPath string!, 4 subPath string,
    5 mountPropagation ?string, 6 subPathExpr string`,
  VolumeMountStatus: '1 name string!, 2 mountPath string!, 3 readOnly bool, 4 recursiveReadOnly ?string',
  WeightedPodAffinityTerm: '1 weight int!, 2 podAffinityTerm PodAffinityTerm!',
  WindowsSecurityContextOptions: `
    1 gmsaCredentialSpecName ?string, 2 gmsaCredentialSpec ?string, 3 runAsUserName ?string,
    4 hostProcess ?bool`,
};
