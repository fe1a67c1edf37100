/**
 * The API: every kind with its schema and type.
 *
 * One file per kind holds one schema value, from which follow the TypeScript type, the CRD in `manifests/crds`
 * (`crdOf`, written by `npm run generate`) and validation (`kubernetes/validation`). `kinds.ts` lists them all.
 * Annotation, label and taint keys are in `annotations.ts`, with the writer and readers of each.
 *
 * Not here: decisions about nodes or pools, and any I/O.
 *
 * Start with `machine-config-pool.ts`; `defineKind` is in `kubernetes/meta`.
 */
export { annotations, EMPTY_CONFIG_NAME, keyRegister, labels, nodeRoleLabel, taints } from './annotations.ts';
export { builtInPool } from './built-in-pools.ts';
export { type ClusterImagePolicy, clusterImagePolicy } from './cluster-image-policy.ts';
export { type ClusterOperator, type ClusterOperatorStatus, clusterOperator } from './cluster-operator.ts';
export {
  type ContainerRuntimeConfig,
  type ContainerRuntimeConfigSpec,
  containerRuntimeConfig,
} from './container-runtime-config.ts';
export {
  CONTROLLERS_FAILING,
  type ControllerCertificate,
  type ControllerConfig,
  type ControllerConfigSpec,
  controllerConfig,
} from './controller-config.ts';
export { defaultDisruptionPolicies } from './default-disruption-policies.ts';
export { type DrainRequest, formatDrainRequest, parseDrainRequest } from './drain-request.ts';
export { type Image, image } from './image.ts';
export { type ImageContentSourcePolicy, imageContentSourcePolicy } from './image-content-source-policy.ts';
export { type ImageDigestMirrorSet, imageDigestMirrorSet } from './image-digest-mirror-set.ts';
export { type ImagePolicy, imagePolicy } from './image-policy.ts';
export type { ImagePolicySpec } from './image-policy-spec.ts';
export { type ImageTagMirrorSet, imageTagMirrorSet } from './image-tag-mirror-set.ts';
export { findKind, kinds } from './kinds.ts';
export { type KubeletConfig, type KubeletConfigSpec, kubeletConfig } from './kubelet-config.ts';
export { type MachineConfig, type MachineConfigSpec, machineConfig } from './machine-config.ts';
export {
  type MachineConfigNode,
  type MachineConfigNodeStatus,
  machineConfigNode,
} from './machine-config-node.ts';
export {
  type MachineConfigPool,
  type MachineConfigPoolStatus,
  machineConfigPool,
} from './machine-config-pool.ts';
export { type MachineConfiguration, machineConfiguration } from './machine-configuration.ts';
export { type MachineOSBuild, machineOSBuild } from './machine-os-build.ts';
export { type MachineOSConfig, machineOSConfig } from './machine-os-config.ts';
export type { MirrorEntry } from './mirror-sets.ts';
export type {
  ClusterDisruptionPolicies,
  DisruptionAction,
  NodeDisruptionPolicy,
} from './node-disruption-policy.ts';
export { type OSImageStream, osImageStream } from './os-image-stream.ts';
export {
  formatSetNames,
  MAX_PINNED_IMAGE_SETS,
  type PinnedImageSet,
  parseSetNames,
  pinnedImageSet,
} from './pinned-image-set.ts';
export { type ClusterProxy, proxy } from './proxy.ts';
export {
  CONFIG_NAMESPACE,
  IMAGE_REGISTRY_CA,
  MANAGED_CONFIG_NAMESPACE,
  type RegistryBundle,
  registryOfBundle,
} from './registry-bundles.ts';
export { MIRROR_PATTERN, SOURCE_PATTERN } from './registry-names.ts';
export { formatRetryRequest, parseRetryRequest } from './retry-request.ts';
export {
  mergeSkippedChecks,
  PREFLIGHT_CHECKS,
  type PreflightCheckName,
  parseSkippedChecks,
  unknownSkippedChecks,
} from './skip-preflight.ts';
export {
  APP_LABEL,
  BOOTSTRAP_ACCOUNT,
  BOOTSTRAP_TOKEN_SECRET,
  BUILDER_LEASE,
  CONTROLLER_CONFIG_NAME,
  CONTROLLER_LEASE,
  DAEMON_FOLDER,
  ENCAPSULATED_CONFIG,
  FORCE_FILE,
  IGNITION_PRESET,
  INITIAL_ANNOTATIONS,
  KUBECONFIG_DATA,
  NAMESPACE,
  OPERATOR_APP,
  OPERATOR_LEASE,
  OS_IMAGE_CONFIG_MAP,
  OS_PULL_SECRET,
  PULL_SECRET,
  SANDBOX_TIMES_CONFIG_MAP,
  SERVED_CONFIG,
  SERVER_CA,
  SERVER_TLS_SECRET,
  SERVER_TOKEN_SECRET,
} from './well-known.ts';
