/**
 * The numbers of fields in Kubernetes' protobuf, which are the only part of a message that its schema does not imply.
 *
 * A row is a Go type with its fields in the order of JSON. A field has the number after the one before it unless a number
 * precedes it (`3:names`); the first has number 1. `...Rule`: the fields of that type are among those of this one in JSON
 * and in its schema, but a message of their own here. `name!`: Go writes the field even if it is empty, although the
 * published schema does not require it.
 *
 * Types that are not listed are kinds and their lists: metadata has the number 1, spec or items 2, status 3.
 */
const CONTAINER = `
  name image command args workingDir ports 19:envFrom 7:env resources 23:resizePolicy restartPolicy
  9:volumeMounts 21:volumeDevices 10:livenessProbe readinessProbe 22:startupProbe 12:lifecycle
  terminationMessagePath 20:terminationMessagePolicy 14:imagePullPolicy securityContext stdin stdinOnce
  tty`;

export const FIELD_NUMBERS: { readonly [goType: string]: string } = {
  'admissionregistration.AuditAnnotation': 'key valueExpression',
  'admissionregistration.ExpressionWarning': '2:fieldRef warning',
  'admissionregistration.MatchCondition': 'name expression',
  'admissionregistration.MatchResources': `
    namespaceSelector objectSelector resourceRules excludeResourceRules 7:matchPolicy`,
  'admissionregistration.NamedRuleWithOperations': 'resourceNames ...RuleWithOperations',
  'admissionregistration.ParamKind': 'apiVersion kind',
  'admissionregistration.ParamRef': 'name namespace selector parameterNotFoundAction',
  'admissionregistration.Rule': 'apiGroups apiVersions resources scope',
  'admissionregistration.RuleWithOperations': 'operations ...Rule',
  'admissionregistration.TypeChecking': 'expressionWarnings',
  'admissionregistration.ValidatingAdmissionPolicyBindingSpec': `
    policyName paramRef matchResources validationActions`,
  'admissionregistration.ValidatingAdmissionPolicySpec': `
    paramKind matchConstraints validations failurePolicy auditAnnotations matchConditions variables`,
  'admissionregistration.ValidatingAdmissionPolicyStatus': 'observedGeneration typeChecking conditions',
  'admissionregistration.Validation': 'expression message reason messageExpression',
  'admissionregistration.Variable': 'name expression',
  'apiextensions.CustomResourceColumnDefinition': 'name type format description priority jsonPath',
  'apiextensions.CustomResourceConversion': 'strategy webhook',
  'apiextensions.CustomResourceDefinitionCondition': 'type status lastTransitionTime reason message',
  'apiextensions.CustomResourceDefinitionNames': 'plural singular shortNames kind listKind categories',
  'apiextensions.CustomResourceDefinitionSpec': `
    group 3:names scope 7:versions 9:conversion preserveUnknownFields`,
  'apiextensions.CustomResourceDefinitionStatus': 'conditions acceptedNames! storedVersions',
  'apiextensions.CustomResourceDefinitionVersion': `
    name served storage 7:deprecated deprecationWarning 4:schema subresources additionalPrinterColumns
    9:selectableFields`,
  'apiextensions.CustomResourceSubresourceScale': 'specReplicasPath statusReplicasPath labelSelectorPath',
  'apiextensions.CustomResourceSubresources': 'status scale',
  'apiextensions.CustomResourceValidation': 'openAPIV3Schema',
  'apiextensions.SelectableField': 'jsonPath',
  'apiextensions.ServiceReference': 'namespace name path port',
  'apiextensions.WebhookClientConfig': '3:url 1:service caBundle',
  'apiextensions.WebhookConversion': '2:clientConfig conversionReviewVersions',
  'apps.DaemonSetCondition': 'type status lastTransitionTime reason message',
  'apps.DaemonSetSpec': 'selector template updateStrategy minReadySeconds 6:revisionHistoryLimit',
  'apps.DaemonSetStatus': `
    currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration
    updatedNumberScheduled numberAvailable numberUnavailable collisionCount conditions`,
  'apps.DaemonSetUpdateStrategy': 'type rollingUpdate',
  'apps.DeploymentCondition': 'type status 6:lastUpdateTime lastTransitionTime 4:reason message',
  'apps.DeploymentSpec': `
    replicas selector template strategy minReadySeconds revisionHistoryLimit paused
    9:progressDeadlineSeconds`,
  'apps.DeploymentStatus': `
    observedGeneration replicas updatedReplicas 7:readyReplicas 4:availableReplicas unavailableReplicas
    9:terminatingReplicas 6:conditions 8:collisionCount`,
  'apps.DeploymentStrategy': 'type rollingUpdate',
  'apps.ReplicaSetCondition': 'type status lastTransitionTime reason message',
  'apps.ReplicaSetSpec': 'replicas 4:minReadySeconds 2:selector template',
  'apps.ReplicaSetStatus': `
    replicas fullyLabeledReplicas 4:readyReplicas availableReplicas 7:terminatingReplicas
    3:observedGeneration 6:conditions`,
  'apps.RollingUpdateDaemonSet': 'maxUnavailable maxSurge',
  'apps.RollingUpdateDeployment': 'maxUnavailable maxSurge',
  'authentication.BoundObjectReference': 'kind apiVersion name uid',
  'authentication.SelfSubjectReviewStatus': 'userInfo',
  'authentication.TokenRequestSpec': 'audiences 4:expirationSeconds 3:boundObjectRef',
  'authentication.TokenRequestStatus': 'token expirationTimestamp',
  'authentication.TokenReviewSpec': 'token audiences',
  'authentication.TokenReviewStatus': 'authenticated user 4:audiences 3:error',
  'authentication.UserInfo': 'username uid groups extra',
  'authorization.FieldSelectorAttributes': 'rawSelector requirements',
  'authorization.LabelSelectorAttributes': 'rawSelector requirements',
  'authorization.NonResourceAttributes': 'path verb',
  'authorization.NonResourceRule': 'verbs nonResourceURLs',
  'authorization.ResourceAttributes': `
    namespace verb group version resource subresource name fieldSelector labelSelector`,
  'authorization.ResourceRule': 'verbs apiGroups resources resourceNames',
  'authorization.SelfSubjectAccessReviewSpec': 'resourceAttributes nonResourceAttributes',
  'authorization.SelfSubjectRulesReviewSpec': 'namespace',
  'authorization.SubjectAccessReviewSpec': 'resourceAttributes nonResourceAttributes user groups extra uid',
  'authorization.SubjectAccessReviewStatus': 'allowed 4:denied 2:reason evaluationError',
  'authorization.SubjectRulesReviewStatus': 'resourceRules nonResourceRules incomplete evaluationError',
  'autoscaling.ScaleSpec': 'replicas',
  'autoscaling.ScaleStatus': 'replicas selector',
  'batch.JobCondition': 'type status lastProbeTime lastTransitionTime reason message',
  'batch.JobSpec': `
    parallelism completions activeDeadlineSeconds 11:podFailurePolicy 16:successPolicy 7:backoffLimit
    12:backoffLimitPerIndex maxFailedIndexes 4:selector manualSelector template 8:ttlSecondsAfterFinished
    completionMode suspend 14:podReplacementPolicy managedBy`,
  'batch.JobStatus': `
    conditions startTime completionTime active succeeded failed 11:terminating 7:completedIndexes
    10:failedIndexes 8:uncountedTerminatedPods ready`,
  'batch.PodFailurePolicy': 'rules',
  'batch.PodFailurePolicyOnExitCodesRequirement': 'containerName operator values',
  'batch.PodFailurePolicyOnPodConditionsPattern': 'type status',
  'batch.PodFailurePolicyRule': 'action onExitCodes onPodConditions',
  'batch.SuccessPolicy': 'rules',
  'batch.SuccessPolicyRule': 'succeededIndexes succeededCount',
  'batch.UncountedTerminatedPods': 'succeeded failed',
  'coordination.LeaseSpec': `
    holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder`,
  'core.AWSElasticBlockStoreVolumeSource': 'volumeID fsType partition readOnly',
  'core.Affinity': 'nodeAffinity podAffinity podAntiAffinity',
  'core.AppArmorProfile': 'type localhostProfile',
  'core.AttachedVolume': 'name devicePath',
  'core.AzureDiskVolumeSource': 'diskName diskURI cachingMode fsType readOnly kind',
  'core.AzureFileVolumeSource': 'secretName shareName readOnly',
  'core.Binding': 'metadata target',
  'core.CSIVolumeSource': 'driver readOnly fsType volumeAttributes nodePublishSecretRef',
  'core.Capabilities': 'add drop',
  'core.CephFSVolumeSource': 'monitors path user secretFile secretRef readOnly',
  'core.CinderVolumeSource': 'volumeID fsType readOnly secretRef',
  'core.ClientIPConfig': 'timeoutSeconds',
  'core.ClusterTrustBundleProjection': 'name signerName labelSelector 5:optional 4:path',
  'core.ConfigMap': 'metadata 4:immutable 2:data binaryData',
  'core.ConfigMapEnvSource': '...LocalObjectReference optional',
  'core.ConfigMapKeySelector': '...LocalObjectReference key optional',
  'core.ConfigMapNodeConfigSource': 'namespace name uid resourceVersion kubeletConfigKey',
  'core.ConfigMapProjection': '...LocalObjectReference items 4:optional',
  'core.ConfigMapVolumeSource': '...LocalObjectReference items defaultMode optional',
  'core.Container': CONTAINER,
  'core.ContainerImage': 'names sizeBytes',
  'core.ContainerPort': 'name hostPort containerPort protocol hostIP',
  'core.ContainerResizePolicy': 'resourceName restartPolicy',
  'core.ContainerState': 'waiting running terminated',
  'core.ContainerStateRunning': 'startedAt',
  'core.ContainerStateTerminated': 'exitCode signal reason message startedAt finishedAt containerID',
  'core.ContainerStateWaiting': 'reason message',
  'core.ContainerStatus': `
    name state lastState ready restartCount image imageID containerID started allocatedResources resources
    volumeMounts user allocatedResourcesStatus stopSignal`,
  'core.ContainerUser': 'linux',
  'core.DaemonEndpoint': 'Port',
  'core.DownwardAPIProjection': 'items',
  'core.DownwardAPIVolumeFile': 'path fieldRef resourceFieldRef mode',
  'core.DownwardAPIVolumeSource': 'items defaultMode',
  'core.EmptyDirVolumeSource': 'medium sizeLimit',
  'core.EndpointAddress': 'ip 3:hostname nodeName 2:targetRef',
  'core.EndpointPort': 'name port protocol appProtocol',
  'core.EndpointSubset': 'addresses notReadyAddresses ports',
  'core.Endpoints': 'metadata subsets',
  'core.EnvFromSource': 'prefix configMapRef secretRef',
  'core.EnvVar': 'name value valueFrom',
  'core.EnvVarSource': 'fieldRef resourceFieldRef configMapKeyRef secretKeyRef',
  'core.EphemeralContainer': '...EphemeralContainerCommon targetContainerName',
  'core.EphemeralContainerCommon': CONTAINER,
  'core.EphemeralVolumeSource': 'volumeClaimTemplate',
  'core.Event': `
    metadata involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series
    action related reportingComponent! reportingInstance!`,
  'core.EventSeries': 'count lastObservedTime',
  'core.EventSource': 'component host',
  'core.ExecAction': 'command',
  'core.FCVolumeSource': 'targetWWNs lun fsType readOnly wwids',
  'core.FlexVolumeSource': 'driver fsType secretRef readOnly options',
  'core.FlockerVolumeSource': 'datasetName datasetUUID',
  'core.GCEPersistentDiskVolumeSource': 'pdName fsType partition readOnly',
  'core.GRPCAction': 'port service!',
  'core.GitRepoVolumeSource': 'repository revision directory',
  'core.GlusterfsVolumeSource': 'endpoints path readOnly',
  'core.HTTPGetAction': 'path port host scheme httpHeaders',
  'core.HTTPHeader': 'name value',
  'core.HostAlias': 'ip hostnames',
  'core.HostIP': 'ip',
  'core.HostPathVolumeSource': 'path type',
  'core.ISCSIVolumeSource': `
    targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery 11:chapAuthSession
    10:secretRef 12:initiatorName`,
  'core.ImageVolumeSource': 'reference pullPolicy',
  'core.KeyToPath': 'key path mode',
  'core.Lifecycle': 'postStart preStop stopSignal',
  'core.LifecycleHandler': 'exec httpGet tcpSocket sleep',
  'core.LinuxContainerUser': 'uid gid supplementalGroups',
  'core.LoadBalancerIngress': 'ip hostname ipMode ports',
  'core.LoadBalancerStatus': 'ingress',
  'core.LocalObjectReference': 'name',
  'core.NFSVolumeSource': 'server path readOnly',
  'core.NamespaceCondition': 'type status 4:lastTransitionTime reason message',
  'core.NamespaceSpec': 'finalizers',
  'core.NamespaceStatus': 'phase conditions',
  'core.NodeAddress': 'type address',
  'core.NodeAffinity': `
    requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution`,
  'core.NodeCondition': 'type status lastHeartbeatTime lastTransitionTime reason message',
  'core.NodeConfigSource': '2:configMap',
  'core.NodeConfigStatus': 'assigned active lastKnownGood error',
  'core.NodeDaemonEndpoints': 'kubeletEndpoint',
  'core.NodeFeatures': 'supplementalGroupsPolicy',
  'core.NodeRuntimeHandler': 'name! features',
  'core.NodeRuntimeHandlerFeatures': 'recursiveReadOnlyMounts userNamespaces',
  'core.NodeSelector': 'nodeSelectorTerms',
  'core.NodeSelectorRequirement': 'key operator values',
  'core.NodeSelectorTerm': 'matchExpressions matchFields',
  'core.NodeSpec': 'podCIDR 7:podCIDRs 3:providerID unschedulable taints configSource 2:externalID',
  'core.NodeStatus': `
    capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images volumesInUse
    volumesAttached config runtimeHandlers features`,
  'core.NodeSwapStatus': 'capacity',
  'core.NodeSystemInfo': `
    machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion
    kubeProxyVersion operatingSystem architecture swap`,
  'core.ObjectFieldSelector': 'apiVersion fieldPath',
  'core.ObjectReference': 'kind namespace name uid apiVersion resourceVersion fieldPath',
  'core.PersistentVolumeClaimSpec': `
    accessModes 4:selector 2:resources volumeName 5:storageClassName volumeMode dataSource dataSourceRef
    volumeAttributesClassName`,
  'core.PersistentVolumeClaimVolumeSource': 'claimName readOnly',
  'core.PhotonPersistentDiskVolumeSource': 'pdID fsType',
  'core.PodAffinity': `
    requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution`,
  'core.PodAffinityTerm': `
    labelSelector namespaces topologyKey namespaceSelector matchLabelKeys mismatchLabelKeys`,
  'core.PodAntiAffinity': `
    requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution`,
  'core.PodCondition': 'type 7:observedGeneration 2:status lastProbeTime lastTransitionTime reason message',
  'core.PodDNSConfig': 'nameservers searches options',
  'core.PodDNSConfigOption': 'name value',
  'core.PodIP': 'ip',
  'core.PodOS': 'name',
  'core.PodReadinessGate': 'conditionType',
  'core.PodResourceClaim': 'name 3:resourceClaimName resourceClaimTemplateName',
  'core.PodResourceClaimStatus': 'name resourceClaimName',
  'core.PodSchedulingGate': 'name',
  'core.PodSecurityContext': `
    seLinuxOptions 8:windowsOptions 2:runAsUser 6:runAsGroup 3:runAsNonRoot supplementalGroups
    12:supplementalGroupsPolicy 5:fsGroup 7:sysctls 9:fsGroupChangePolicy seccompProfile appArmorProfile
    13:seLinuxChangePolicy`,
  'core.PodSpec': `
    volumes 20:initContainers 2:containers 34:ephemeralContainers 3:restartPolicy
    terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName
    serviceAccount 21:automountServiceAccountToken 10:nodeName hostNetwork hostPID hostIPC
    27:shareProcessNamespace 14:securityContext imagePullSecrets hostname subdomain affinity schedulerName
    22:tolerations hostAliases priorityClassName priority dnsConfig 28:readinessGates runtimeClassName
    enableServiceLinks preemptionPolicy overhead topologySpreadConstraints 35:setHostnameAsFQDN os hostUsers
    schedulingGates resourceClaims resources`,
  'core.PodStatus': `
    17:observedGeneration 1:phase conditions message reason 11:nominatedNodeName 5:hostIP 16:hostIPs 6:podIP
    12:podIPs 7:startTime 10:initContainerStatuses 8:containerStatuses qosClass
    13:ephemeralContainerStatuses resize resourceClaimStatuses`,
  'core.PortStatus': 'port protocol error',
  'core.PortworxVolumeSource': 'volumeID fsType readOnly',
  'core.PreferredSchedulingTerm': 'weight preference',
  'core.Probe': `
    ...ProbeHandler initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold
    terminationGracePeriodSeconds`,
  'core.ProbeHandler': 'exec httpGet tcpSocket grpc',
  'core.ProjectedVolumeSource': 'sources defaultMode',
  'core.QuobyteVolumeSource': 'registry volume readOnly user group tenant',
  'core.RBDVolumeSource': 'monitors image fsType pool user keyring secretRef readOnly',
  'core.ResourceClaim': 'name request',
  'core.ResourceFieldSelector': 'containerName resource divisor',
  'core.ResourceHealth': 'resourceID health',
  'core.ResourceRequirements': 'limits requests claims',
  'core.ResourceStatus': 'name resources',
  'core.SELinuxOptions': 'user role type level',
  'core.ScaleIOVolumeSource': `
    gateway system secretRef sslEnabled protectionDomain storagePool storageMode volumeName fsType readOnly`,
  'core.SeccompProfile': 'type localhostProfile',
  'core.Secret': 'metadata 5:immutable 2:data 4:stringData 3:type',
  'core.SecretEnvSource': '...LocalObjectReference optional',
  'core.SecretKeySelector': '...LocalObjectReference key optional',
  'core.SecretProjection': '...LocalObjectReference items 4:optional',
  'core.SecretVolumeSource': 'secretName items defaultMode optional',
  'core.SecurityContext': `
    capabilities privileged seLinuxOptions 10:windowsOptions 4:runAsUser 8:runAsGroup 5:runAsNonRoot
    readOnlyRootFilesystem allowPrivilegeEscalation 9:procMount 11:seccompProfile appArmorProfile`,
  'core.ServiceAccount': 'metadata secrets imagePullSecrets automountServiceAccountToken',
  'core.ServiceAccountTokenProjection': 'audience expirationSeconds path',
  'core.ServicePort': 'name protocol 6:appProtocol 3:port targetPort nodePort',
  'core.ServiceSpec': `
    ports selector clusterIP 18:clusterIPs 4:type externalIPs 7:sessionAffinity loadBalancerIP
    loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses
    sessionAffinityConfig 19:ipFamilies 17:ipFamilyPolicy 20:allocateLoadBalancerNodePorts loadBalancerClass
    internalTrafficPolicy trafficDistribution`,
  'core.ServiceStatus': 'loadBalancer conditions',
  'core.SessionAffinityConfig': 'clientIP',
  'core.SleepAction': 'seconds',
  'core.StorageOSVolumeSource': 'volumeName volumeNamespace fsType readOnly secretRef',
  'core.Sysctl': 'name value',
  'core.TCPSocketAction': 'port host',
  'core.Taint': 'key value effect timeAdded',
  'core.Toleration': 'key operator value effect tolerationSeconds',
  'core.TopologySpreadConstraint': `
    maxSkew topologyKey whenUnsatisfiable labelSelector minDomains nodeAffinityPolicy nodeTaintsPolicy
    matchLabelKeys`,
  'core.TypedLocalObjectReference': 'apiGroup kind name',
  'core.TypedObjectReference': 'apiGroup kind name namespace',
  'core.Volume': 'name ...VolumeSource',
  'core.VolumeDevice': 'name devicePath',
  'core.VolumeMount': 'name readOnly 7:recursiveReadOnly 3:mountPath subPath mountPropagation subPathExpr',
  'core.VolumeMountStatus': 'name mountPath readOnly recursiveReadOnly',
  'core.VolumeProjection': 'secret downwardAPI configMap serviceAccountToken clusterTrustBundle',
  'core.VolumeResourceRequirements': 'limits requests',
  'core.VolumeSource': `
    hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs
    persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap
    vsphereVolume quobyte azureDisk photonPersistentDisk 26:projected 24:portworxVolume scaleIO 27:storageos
    csi ephemeral image`,
  'core.VsphereVirtualDiskVolumeSource': 'volumePath fsType storagePolicyName storagePolicyID',
  'core.WeightedPodAffinityTerm': 'weight podAffinityTerm',
  'core.WindowsSecurityContextOptions': 'gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess',
  'events.Event': `
    metadata! eventTime series reportingController reportingInstance action reason regarding related note
    type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount`,
  'events.EventSeries': 'count lastObservedTime',
  'meta.Condition': 'type status observedGeneration lastTransitionTime reason message',
  'meta.DeleteOptions': `
    gracePeriodSeconds preconditions orphanDependents propagationPolicy dryRun
    ignoreStoreReadErrorWithClusterBreakingPotential`,
  'meta.FieldSelectorRequirement': 'key operator values',
  'meta.LabelSelector': 'matchLabels matchExpressions',
  'meta.LabelSelectorRequirement': 'key operator values',
  'meta.ListMeta': 'selfLink resourceVersion continue remainingItemCount',
  'meta.ManagedFieldsEntry': 'manager operation apiVersion time 6:fieldsType fieldsV1 subresource',
  'meta.ObjectMeta': `
    name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp
    deletionGracePeriodSeconds labels annotations ownerReferences finalizers 17:managedFields`,
  'meta.OwnerReference': '5:apiVersion 1:kind 3:name uid 6:controller blockOwnerDeletion',
  'meta.Preconditions': 'uid resourceVersion',
  'meta.Status': 'metadata status message reason details code',
  'meta.StatusCause': 'reason message field',
  'meta.StatusDetails': 'name group kind 6:uid 4:causes retryAfterSeconds',
  'policy.Eviction': 'metadata deleteOptions',
  'policy.PodDisruptionBudgetSpec': 'minAvailable selector maxUnavailable unhealthyPodEvictionPolicy',
  'policy.PodDisruptionBudgetStatus': `
    observedGeneration disruptedPods disruptionsAllowed currentHealthy desiredHealthy expectedPods
    conditions`,
  'rbac.AggregationRule': 'clusterRoleSelectors',
  'rbac.ClusterRole': 'metadata rules aggregationRule',
  'rbac.ClusterRoleBinding': 'metadata subjects roleRef',
  'rbac.PolicyRule': 'verbs apiGroups resources resourceNames nonResourceURLs',
  'rbac.Role': 'metadata rules',
  'rbac.RoleBinding': 'metadata subjects roleRef',
  'rbac.RoleRef': 'apiGroup kind name',
  'rbac.Subject': 'kind apiGroup name namespace',
};
