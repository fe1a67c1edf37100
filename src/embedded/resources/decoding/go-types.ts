/**
 * The Go types behind the built-in kinds, as far as clients can see them.
 *
 * The server decodes into Go structs, and its messages name them (`Go struct field Container.spec.containers.image
 * of type string`). Whether a scalar is a pointer shows too: `replicas: 0` is kept, `hostNetwork: false` is as if
 * it had not been said. Most of this follows from the schema and the name of the field; the rest is listed here.
 */
import type { StructuralSchema } from '../../../kubernetes/schema/index.ts';

type GoField = {
  /** As messages name it: `string`, `[]v1.Container`, `map[string]string`. */
  readonly type: string;
  /** Whether nothing and the zero value differ. */
  readonly isPointer: boolean;
};

/** What a field of a struct is in Go. `struct` without its package: `PodSpec`. */
export function goField(struct: string, field: string, schema: StructuralSchema): GoField {
  const last = fields.get(schema);
  if (last !== undefined && last.struct === struct && last.field === field) return last.type;
  const type = typeOfField(struct, field, schema);
  fields.set(schema, { struct, field, type });
  return type;
}

/** Every field is asked for whenever an object is read. Few share a schema with others. */
const fields = new WeakMap<StructuralSchema, { struct: string; field: string; type: GoField }>();

function typeOfField(struct: string, field: string, schema: StructuralSchema): GoField {
  const note = EXCEPTIONS.get(struct)?.get(field) ?? FIELDS.get(field) ?? '';
  const isPointer = note.startsWith('*');
  const name = isPointer ? note.slice(1) : note;
  if (name.startsWith('=')) return { type: name.slice(1), isPointer };
  const bare = name === '' ? guessed(struct, field, innermost(schema)) : qualified(name);
  return { type: layersOf(schema) + bare, isPointer };
}

/** What a list or map is made of: `[]v1.Container` → `v1.Container`. */
export function itemTypeOf(type: string): string {
  if (type === 'v1.ExtraValue') return 'string';
  return /^(\[\]|map\[string\])/.test(type) ? type.replace(/^(\[\]|map\[string\])/, '') : 'resource.Quantity';
}

/** The name of a type without its package: `v1.Container` → `Container`. */
export function structOf(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

function qualified(name: string): string {
  return name.includes('.') ? name : `v1.${name}`;
}

function layersOf(schema: StructuralSchema): string {
  if (schema.items !== undefined) return `[]${layersOf(schema.items)}`;
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? `map[string]${layersOf(additionalProperties)}` : '';
}

function innermost(schema: StructuralSchema): StructuralSchema {
  if (schema.items !== undefined) return innermost(schema.items);
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? innermost(additionalProperties) : schema;
}

function guessed(struct: string, field: string, schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString';
  switch (schema.type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return schema.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'string':
      if (schema.format === 'byte') return '[]uint8';
      return schema.format === 'date-time' ? 'v1.Time' : 'string';
    case 'object':
      if (field === 'spec' || field === 'status') return `v1.${struct}${capitalised(field)}`;
      return `v1.${capitalised(singular(field))}`;
    default:
      return 'resource.Quantity';
  }
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

function entries(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .map((entry): [string, string] => {
        const [field = '', note = ''] = entry.split(':');
        return [field, note];
      }),
  );
}

/** Scalars that are pointers wherever a field has this name. */
const POINTERS = `
  activeDeadlineSeconds allocateLoadBalancerNodePorts allowPrivilegeEscalation apiGroup appProtocol
  automountServiceAccountToken backoffLimit backoffLimitPerIndex blockOwnerDeletion capacity collisionCount
  completions containerName controller defaultMode deletionGracePeriodSeconds deprecationWarning
  enableServiceLinks expirationSeconds failedIndexes fsGroup gmsaCredentialSpec gmsaCredentialSpecName
  gracePeriodSeconds holderIdentity hostProcess hostUsers ignoreStoreReadErrorWithClusterBreakingPotential
  immutable initiatorName labelSelectorPath leaseDurationSeconds leaseTransitions loadBalancerClass
  localhostProfile lun managedBy manualSelector maxFailedIndexes minDomains mode nodeName optional
  orphanDependents parallelism preferredHolder priority privileged progressDeadlineSeconds
  readOnlyRootFilesystem ready recursiveReadOnlyMounts resourceClaimName resourceClaimTemplateName
  revisionHistoryLimit runAsGroup runAsNonRoot runAsUser runAsUserName runtimeClassName setHostnameAsFQDN
  shareProcessNamespace signerName started storageClassName succeededCount succeededIndexes suspend
  terminating terminatingReplicas terminationGracePeriodSeconds timeoutSeconds tolerationSeconds
  trafficDistribution ttlSecondsAfterFinished url userNamespaces volumeAttributesClassName`;

/** `field:Type` of the innermost value, `field:*Type` where it is a pointer, `field:=type` for the whole of it. */
const NAMED = `
  acceptedNames:CustomResourceDefinitionNames accessModes:PersistentVolumeAccessMode acquireTime:MicroTime
  action:PodFailurePolicyAction active:NodeConfigSource add:Capability
  additionalPrinterColumns:CustomResourceColumnDefinition addresses:NodeAddress allocatable:=v1.ResourceList
  allocatedResources:=v1.ResourceList allocatedResourcesStatus:ResourceStatus assigned:NodeConfigSource
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFileVolumeSource boundObjectRef:BoundObjectReference cachingMode:*AzureDataDiskCachingMode
  capabilities:Capabilities cephfs:CephFSVolumeSource cinder:CinderVolumeSource claims:ResourceClaim
  clientConfig:WebhookClientConfig clientIP:ClientIPConfig clusterRoleSelectors:LabelSelector
  clusterTrustBundle:ClusterTrustBundleProjection completionMode:*CompletionMode
  conditionType:PodConditionType config:NodeConfigStatus configMap:ConfigMapProjection
  configMapKeyRef:ConfigMapKeySelector configMapRef:ConfigMapEnvSource configSource:NodeConfigSource
  containerStatuses:ContainerStatus conversion:CustomResourceConversion csi:CSIVolumeSource
  daemonEndpoints:NodeDaemonEndpoints dataSource:TypedLocalObjectReference
  dataSourceRef:TypedObjectReference deleteOptions:DeleteOptions dnsConfig:PodDNSConfig dnsPolicy:DNSPolicy
  downwardAPI:DownwardAPIProjection drop:Capability effect:TaintEffect emptyDir:EmptyDirVolumeSource
  env:EnvVar envFrom:EnvFromSource ephemeral:EphemeralVolumeSource
  ephemeralContainerStatuses:ContainerStatus eventTime:MicroTime
  excludeResourceRules:NamedRuleWithOperations exec:ExecAction
  externalTrafficPolicy:ServiceExternalTrafficPolicy extra:=map[string]v1.ExtraValue failed:types.UID
  failurePolicy:*FailurePolicyType fc:FCVolumeSource features:NodeFeatures fieldRef:ObjectFieldSelector
  fieldSelector:FieldSelectorAttributes finalizers:FinalizerName flexVolume:FlexVolumeSource
  flocker:FlockerVolumeSource fsGroupChangePolicy:*PodFSGroupChangePolicy
  gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource
  glusterfs:GlusterfsVolumeSource grpc:GRPCAction health:ResourceHealthStatus hostAliases:HostAlias
  hostPath:HostPathVolumeSource httpGet:HTTPGetAction httpHeaders:HTTPHeader imagePullPolicy:PullPolicy
  imagePullSecrets:LocalObjectReference images:ContainerImage ingress:LoadBalancerIngress
  initContainerStatuses:ContainerStatus initContainers:Container
  internalTrafficPolicy:*ServiceInternalTrafficPolicy involvedObject:ObjectReference ipFamilies:IPFamily
  ipFamilyPolicy:*IPFamilyPolicy ipMode:*LoadBalancerIPMode iscsi:ISCSIVolumeSource items:KeyToPath
  kubeletEndpoint:DaemonEndpoint lastKnownGood:NodeConfigSource lastObservedTime:MicroTime
  lastState:ContainerState limits:=v1.ResourceList linux:LinuxContainerUser livenessProbe:Probe
  loadBalancer:LoadBalancerStatus managedFields:ManagedFieldsEntry matchConstraints:MatchResources
  matchExpressions:NodeSelectorRequirement matchFields:NodeSelectorRequirement matchPolicy:*MatchPolicyType
  matchResources:MatchResources medium:StorageMedium metadata:ObjectMeta
  mountPropagation:*MountPropagationMode names:CustomResourceDefinitionNames namespaceSelector:LabelSelector
  nfs:NFSVolumeSource nodeAffinityPolicy:*NodeInclusionPolicy nodeInfo:NodeSystemInfo
  nodePublishSecretRef:LocalObjectReference nodeTaintsPolicy:*NodeInclusionPolicy
  nonResourceAttributes:NonResourceAttributes notReadyAddresses:EndpointAddress objectSelector:LabelSelector
  onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:PodFailurePolicyOnPodConditionsPattern
  openAPIV3Schema:JSONSchemaProps operation:ManagedFieldsOperationType operations:OperationType
  operator:TolerationOperator options:PodDNSConfigOption os:PodOS overhead:=v1.ResourceList
  parameterNotFoundAction:*ParameterNotFoundActionType
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource phase:PodPhase
  photonPersistentDisk:PhotonPersistentDiskVolumeSource podReplacementPolicy:*PodReplacementPolicy
  ports:ContainerPort portworxVolume:PortworxVolumeSource postStart:LifecycleHandler
  preStop:LifecycleHandler preconditions:Preconditions preemptionPolicy:*PreemptionPolicy
  preference:NodeSelectorTerm preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm
  procMount:*ProcMountType projected:ProjectedVolumeSource propagationPolicy:*DeletionPropagation
  protocol:Protocol pullPolicy:PullPolicy qosClass:PodQOSClass quobyte:QuobyteVolumeSource
  rbd:RBDVolumeSource readinessGates:PodReadinessGate readinessProbe:Probe
  recursiveReadOnly:*RecursiveReadOnlyMode related:ObjectReference renewTime:MicroTime
  requests:=v1.ResourceList requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm
  requirements:LabelSelectorRequirement resize:PodResizeStatus resizePolicy:ContainerResizePolicy
  resourceAttributes:ResourceAttributes resourceClaimStatuses:PodResourceClaimStatus
  resourceClaims:PodResourceClaim resourceFieldRef:ResourceFieldSelector resourceID:ResourceID
  resourceName:ResourceName resourceRules:NamedRuleWithOperations resources:ResourceRequirements
  restartPolicy:*ContainerRestartPolicy rollingUpdate:RollingUpdateDeployment rules:PolicyRule
  running:ContainerStateRunning runtimeHandlers:NodeRuntimeHandler scale:CustomResourceSubresourceScale
  scaleIO:ScaleIOVolumeSource schedulingGates:PodSchedulingGate schema:CustomResourceValidation
  scheme:URIScheme scope:*ScopeType seLinuxChangePolicy:*PodSELinuxChangePolicy
  seLinuxOptions:SELinuxOptions secret:SecretProjection secretKeyRef:SecretKeySelector
  secretRef:LocalObjectReference secrets:ObjectReference selector:LabelSelector series:EventSeries
  service:ServiceReference serviceAccountToken:ServiceAccountTokenProjection sessionAffinity:ServiceAffinity
  sleep:SleepAction source:EventSource sources:VolumeProjection startupProbe:Probe state:ContainerState
  stopSignal:*Signal storageos:StorageOSVolumeSource strategy:*CoordinatedLeaseStrategy
  subresources:CustomResourceSubresources subsets:EndpointSubset succeeded:types.UID
  supplementalGroupsPolicy:*SupplementalGroupsPolicy swap:NodeSwapStatus target:ObjectReference
  targetRef:ObjectReference tcpSocket:TCPSocketAction template:PodTemplateSpec
  terminated:ContainerStateTerminated terminationMessagePolicy:TerminationMessagePolicy uid:types.UID
  uncountedTerminatedPods:UncountedTerminatedPods unhealthyPodEvictionPolicy:*UnhealthyPodEvictionPolicyType
  updateStrategy:DaemonSetUpdateStrategy validationActions:ValidationAction valueFrom:EnvVarSource
  versions:CustomResourceDefinitionVersion volumeClaimTemplate:PersistentVolumeClaimTemplate
  volumeMode:*PersistentVolumeMode volumesAttached:AttachedVolume volumesInUse:UniqueVolumeName
  vsphereVolume:VsphereVirtualDiskVolumeSource waiting:ContainerStateWaiting webhook:WebhookConversion
  whenUnsatisfiable:UnsatisfiableConstraintAction windowsOptions:WindowsSecurityContextOptions`;

const FIELDS: ReadonlyMap<string, string> = new Map([
  ...[...entries(POINTERS).keys()].map((field): [string, string] => [field, '*']),
  ...entries(NAMED),
]);

/** Structs in which a field of that name is something else; nothing behind the colon: what the schema says. */
const STRUCTS = `
  AppArmorProfile type:AppArmorProfileType
  AttachedVolume name:UniqueVolumeName
  AzureDiskVolumeSource fsType:* kind:*AzureDataDiskKind readOnly:*
  CSIVolumeSource fsType:* readOnly:*
  ClusterTrustBundleProjection name:*
  Condition status:ConditionStatus
  ContainerImage names:
  ContainerResizePolicy restartPolicy:ResourceResizeRestartPolicy
  ContainerStatus ready: user:ContainerUser volumeMounts:VolumeMountStatus
  CustomResourceColumnDefinition priority:
  CustomResourceConversion strategy:ConversionStrategyType
  CustomResourceDefinitionCondition status:ConditionStatus type:CustomResourceDefinitionConditionType
  CustomResourceDefinitionSpec scope:ResourceScope
  CustomResourceDefinitionStatus conditions:CustomResourceDefinitionCondition
  CustomResourceSubresources status:CustomResourceSubresourceStatus
  DaemonSetCondition status:ConditionStatus type:DaemonSetConditionType
  DaemonSetStatus conditions:DaemonSetCondition
  DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet type:DaemonSetUpdateStrategyType
  DeploymentCondition status:ConditionStatus type:DeploymentConditionType
  DeploymentSpec replicas:* strategy:DeploymentStrategy
  DeploymentStatus conditions:DeploymentCondition
  DeploymentStrategy type:DeploymentStrategyType
  DownwardAPIProjection items:DownwardAPIVolumeFile
  DownwardAPIVolumeSource items:DownwardAPIVolumeFile
  EndpointSubset addresses:EndpointAddress ports:EndpointPort
  EnvFromSource secretRef:SecretEnvSource
  Event action:
  ExpressionWarning fieldRef:
  FieldSelectorAttributes requirements:FieldSelectorRequirement
  FieldSelectorRequirement operator:FieldSelectorOperator
  FlexVolumeSource options:
  GRPCAction service:*
  HostPathVolumeSource type:*HostPathType
  ISCSIVolumeSource lun:
  JobCondition status:ConditionStatus type:JobConditionType
  JobStatus active: conditions:JobCondition failed: succeeded:
  LabelSelector matchExpressions:LabelSelectorRequirement
  LabelSelectorRequirement operator:LabelSelectorOperator
  LinuxContainerUser uid:
  LoadBalancerIngress ports:PortStatus
  LocalSubjectAccessReview spec:SubjectAccessReviewSpec status:SubjectAccessReviewStatus
  NamedRuleWithOperations resources:
  NamespaceCondition status:ConditionStatus type:NamespaceConditionType
  NamespaceStatus conditions:NamespaceCondition phase:NamespacePhase
  NodeAddress type:NodeAddressType
  NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
  NodeCondition status:ConditionStatus type:NodeConditionType
  NodeConfigSource configMap:ConfigMapNodeConfigSource
  NodeFeatures supplementalGroupsPolicy:*
  NodeRuntimeHandler features:NodeRuntimeHandlerFeatures
  NodeSelectorRequirement operator:NodeSelectorOperator
  NodeStatus capacity:=v1.ResourceList conditions:NodeCondition phase:NodePhase
  ObjectMeta finalizers:
  PersistentVolumeClaimSpec resources:VolumeResourceRequirements
  PersistentVolumeClaimTemplate spec:PersistentVolumeClaimSpec
  PodCondition status:ConditionStatus type:PodConditionType
  PodDNSConfigOption value:*
  PodFailurePolicy rules:PodFailurePolicyRule
  PodFailurePolicyOnExitCodesRequirement operator:PodFailurePolicyOnExitCodesOperator
  PodFailurePolicyOnPodConditionsPattern status:ConditionStatus type:PodConditionType
  PodOS name:OSName
  PodSpec nodeName: restartPolicy:RestartPolicy securityContext:PodSecurityContext
  PodStatus conditions:PodCondition
  PodTemplateSpec spec:PodSpec
  PolicyRule resources:
  PortStatus error:*
  Preconditions resourceVersion:* uid:*types.UID
  Probe timeoutSeconds:
  ReplicaSetCondition status:ConditionStatus type:ReplicaSetConditionType
  ReplicaSetSpec replicas:*
  ReplicaSetStatus conditions:ReplicaSetCondition
  ResourceAttributes labelSelector:LabelSelectorAttributes
  ResourceFieldSelector containerName:
  ResourceRule resources:
  ResourceStatus name:ResourceName resources:ResourceHealth
  RoleRef apiGroup:
  ScaleStatus selector:
  SeccompProfile type:SeccompProfileType
  Secret type:SecretType
  SelfSubjectAccessReview status:SubjectAccessReviewStatus
  SelfSubjectRulesReview status:SubjectRulesReviewStatus
  ServiceReference path:* port:*
  ServiceSpec ports:ServicePort selector: type:ServiceType
  Subject apiGroup:
  SubjectAccessReviewSpec uid:
  SubjectRulesReviewStatus resourceRules:
  SuccessPolicy rules:SuccessPolicyRule
  TokenReviewStatus user:UserInfo
  TypedObjectReference namespace:*
  UserInfo uid:
  Validation reason:*StatusReason
  Volume configMap:ConfigMapVolumeSource downwardAPI:DownwardAPIVolumeSource image:ImageVolumeSource secret:SecretVolumeSource`;

const EXCEPTIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  STRUCTS.trim()
    .split('\n')
    .map((line): [string, ReadonlyMap<string, string>] => {
      const [struct = '', ...fields] = line.trim().split(' ');
      return [struct, entries(fields.join(' '))];
    }),
);
