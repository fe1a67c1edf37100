/**
 * Every annotation, label and taint that Millwright writes or reads: on which kinds, its writer, its readers and its
 * value.
 *
 *     node.metadata.annotations?.[annotations.currentConfig]
 *
 * Every key has one writer. Values with a grammar are parsed and formatted elsewhere (`drain-request.ts`, `retry-request.ts`).
 *
 * Reserved: other keys of machineconfiguration.openshift.io that upstream's operator defines (`ssh` …) are neither read
 * nor written, and must not be given another meaning.
 */
import { MACHINE_CONFIGURATION_GROUP as MC } from './groups.ts';

/** Writers and readers: our components, and others. */
type Party =
  | 'operator'
  | 'template-controller'
  | 'render-controller'
  | 'registries-controller'
  | 'node-controller'
  | 'drain-controller'
  | 'pinned-image-set-controller'
  | 'build-controller'
  | 'prune-controller'
  | 'daemon'
  | 'kubelet'
  /** The kubelet of the embedded cluster, which simulates pods. */
  | 'simulated-kubelet'
  | 'user'
  /** The creator of the object. */
  | 'author'
  /** The controller of the kind. */
  | 'kind-controller';

type Flow = {
  /** The kinds that have it. */
  readonly on: readonly [string, ...string[]];
  readonly writer: Party;
  readonly readers: readonly [Party, ...Party[]];
};

export type KeyEntry<Key extends string = string> = Flow & {
  readonly key: Key;
  /** The meaning of the value. */
  readonly value: string;
};

// biome-ignore format: a table that keeps each key together.
const nodeAnnotations = {
  currentConfig: entry(`${MC}/currentConfig`,
    { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'daemon'] },
    'name of the rendered MachineConfig that the node runs; initially from the first-boot file'),
  desiredConfig: entry(`${MC}/desiredConfig`,
    { on: ['Node'], writer: 'node-controller', readers: ['daemon', 'node-controller'] },
    'name of the rendered MachineConfig to update to; initially set by the daemon from the first-boot file'),
  currentImage: entry(`${MC}/currentImage`,
    { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'daemon'] },
    'image that the node booted in image mode; absent otherwise'),
  desiredImage: entry(`${MC}/desiredImage`,
    { on: ['Node'], writer: 'node-controller', readers: ['daemon', 'node-controller'] },
    'image to update to in image mode; absent otherwise'),
  state: entry(`${MC}/state`, { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'daemon', 'build-controller'] },
    'Working, Done, Degraded or Unreconcilable'),
  reason: entry(`${MC}/reason`, { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'daemon'] },
    'message for the state, at most 2000 characters; empty without an error'),
  desiredDrain: entry(`${MC}/desiredDrain`,
    { on: ['Node'], writer: 'daemon', readers: ['drain-controller', 'daemon'] },
    'drain-<config> or uncordon-<config>'),
  lastAppliedDrain: entry(`${MC}/lastAppliedDrain`,
    { on: ['Node'], writer: 'drain-controller', readers: ['daemon', 'drain-controller'] },
    'the value of desiredDrain, once it is done'),
  drain: entry('millwright.dev/drain',
    { on: ['Node'], writer: 'drain-controller', readers: ['daemon', 'drain-controller', 'node-controller', 'user'] },
    'JSON: start time of the drain, attempts, who cordoned the node, the last refused eviction with pod and budget'),
  fetchImage: entry('millwright.dev/fetch-image',
    { on: ['Node'], writer: 'node-controller', readers: ['daemon', 'node-controller'] },
    'OS image to download ahead of the update to it; no target, and absent where nothing is to be downloaded'),
  fetchedImage: entry('millwright.dev/fetched-image',
    { on: ['Node'], writer: 'daemon', readers: ['daemon', 'user'] },
    'the value of fetch-image, once it is downloaded; absent after the update'),
  retry: entry('millwright.dev/retry',
    { on: ['Node'], writer: 'user', readers: ['daemon'] },
    'request to try what fails at once and from the beginning, any new word; with force- before it, to apply the whole config again and reboot'),
  retried: entry('millwright.dev/retried',
    { on: ['Node'], writer: 'daemon', readers: ['daemon', 'user'] },
    'the value of retry, once its daemon has taken it up; it is not followed again'),
  pinnedImageSets: entry('millwright.dev/pinned-image-sets',
    { on: ['Node'], writer: 'pinned-image-set-controller', readers: ['daemon', 'node-controller'] },
    'names of the PinnedImageSets of its pools, of a custom pool first, separated by commas; absent where there are none'),
  diskConfigs: entry('millwright.dev/disk-configs',
    { on: ['Node'], writer: 'daemon', readers: ['prune-controller', 'daemon'] },
    'JSON: the boot that it is about, and names of MachineConfigs that the disk refers to and the other annotations do not'),
  recentUpdates: entry('millwright.dev/recent-updates',
    { on: ['Node'], writer: 'daemon', readers: ['user'] },
    'JSON: how many seconds its last updates took and whether they rebooted it, the newest first; plan estimates from it'),
  postConfigAction: entry(`${MC}/post-config-action`, { on: ['Node'], writer: 'daemon', readers: ['daemon'] },
    'Rebooting while a reboot is in progress, empty afterwards'),
  ostreeFinalizeStagedFailure: entry(`${MC}/ostree-finalize-staged-failure`,
    { on: ['Node'], writer: 'daemon', readers: ['user'] },
    'journal excerpt about an OS image that did not boot, at most 2000 characters; or empty'),
  firstPivotConfig: entry(`${MC}/firstPivotConfig`,
    { on: ['Node'], writer: 'daemon', readers: ['node-controller'] },
    'name of the MachineConfig that the node booted with first, from the first-boot file'),
  customPoolLabelsApplied: entry(`${MC}/customPoolLabelsApplied`,
    { on: ['Node'], writer: 'node-controller', readers: ['node-controller'] },
    'empty; present once the node has the labels of the custom pool that it joined with'),
  lastSyncedControllerConfigResourceVersion: entry(`${MC}/lastSyncedControllerConfigResourceVersion`,
    { on: ['Node'], writer: 'daemon', readers: ['daemon'] },
    'resourceVersion of the ControllerConfig whose certificates are on the node'),
  lastObservedServerCAAnnotation: entry(`${MC}/lastObservedServerCAAnnotation`,
    { on: ['Node'], writer: 'daemon', readers: ['daemon'] },
    'reserved: value of service-ca-rotate that upstream\'s daemon last acted on'),
} as const;

// biome-ignore format: a table that keeps each key together.
const configAnnotations = {
  generatedByControllerVersion: entry(`${MC}/generated-by-controller-version`,
    { on: ['MachineConfig'], writer: 'author', readers: ['render-controller', 'user'] },
    'version hash of the controllers that generated it; absent on MachineConfigs of users'),
  releaseImageVersion: entry(`${MC}/release-image-version`,
    { on: ['MachineConfig', 'ControllerConfig', 'OSImageStream'],
      writer: 'author', readers: ['render-controller'] },
    'release version; on an OSImageStream the version hash of the controllers'),
  osImageURLOverridden: entry(`${MC}/os-image-url-overridden`,
    { on: ['MachineConfig'], writer: 'render-controller', readers: ['user'] },
    'true if the OS image is not the default of the pool; absent otherwise'),
  originalOSImageURL: entry(`${MC}/original-osimageurl`,
    { on: ['MachineConfig'], writer: 'daemon', readers: ['daemon'] },
    "on the daemon's own copy: the OS image that the image-mode one replaces"),
  oclOSImageURL: entry(`${MC}/ocl-osimageurl`,
    { on: ['MachineConfig'], writer: 'daemon', readers: ['daemon'] },
    "on the daemon's own copy: the image-mode image"),
  generatedByVersion: entry(`${MC}/generated-by-version`,
    { on: ['ControllerConfig'], writer: 'operator', readers: ['template-controller', 'render-controller'] },
    'full version of the operator'),
  serviceCaRotate: entry(`${MC}/service-ca-rotate`,
    { on: ['ControllerConfig'], writer: 'operator', readers: ['daemon'] },
    'true where kubeconfigs of nodes follow rootCAData, that is with the base configs; false otherwise'),
  skipPreflight: entry('millwright.dev/skip-preflight',
    { on: ['MachineConfig'], writer: 'author', readers: ['render-controller', 'daemon'] },
    'true, or names of pre-flight checks separated by commas, that do not refuse this config; carried to the rendered one'),
  renderProblem: entry('millwright.dev/render-problem',
    { on: ['MachineConfigPool'], writer: 'render-controller', readers: ['node-controller', 'user'] },
    'why the pool cannot be rendered, the message of its condition; absent without an error'),
  pinnedImageSetsProblem: entry('millwright.dev/pinned-image-sets-problem',
    { on: ['MachineConfigPool'], writer: 'pinned-image-set-controller', readers: ['node-controller', 'user'] },
    'why its PinnedImageSets cannot all be used, the message of its condition; absent without an error'),
  lastTargeted: entry('millwright.dev/last-targeted',
    { on: ['MachineConfig'], writer: 'render-controller', readers: ['prune-controller', 'user'] },
    'on a rendered one: when a pool was last pointed at it again, or away from it; absent on one that is new'),
  pruneRenderedConfigs: entry('millwright.dev/prune-rendered-configs',
    { on: ['MachineConfigPool', 'MachineConfiguration'], writer: 'user', readers: ['prune-controller'] },
    'how many of the newest rendered MachineConfigs are kept of a pool; others that nothing refers to are deleted. never: none'),
  mcNameSuffix: entry(`${MC}/mc-name-suffix`,
    { on: ['KubeletConfig', 'ContainerRuntimeConfig'], writer: 'kind-controller', readers: ['kind-controller'] },
    'empty or 1 to 9: the suffix of the MachineConfigs generated from it'),
} as const;

// Read only by the embedded cluster, whose pods are simulated.
// biome-ignore format: a table that keeps each key together.
const podAnnotations = {
  external: entry('millwright.dev/external', ofPods('author'),
    'any value: the pod is run by another process and ignored'),
  simulatedTerminationSeconds: entry('millwright.dev/simulated-termination-seconds', ofPods('user'),
    'how long the pod takes to terminate; at most its grace period'),
  simulatedRunSeconds: entry('millwright.dev/simulated-run-seconds', ofPods('user'),
    'how long the containers run until they exit'),
  simulatedExitCode: entry('millwright.dev/simulated-exit-code', ofPods('user'),
    '0 to 255: their exit code; default 0'),
} as const;

// biome-ignore format: a table that keeps each key together.
const buildAnnotations = {
  currentMachineOSBuild: entry(`${MC}/current-machine-os-build`,
    { on: ['MachineOSConfig'], writer: 'build-controller', readers: ['node-controller', 'build-controller'] },
    'name of its current MachineOSBuild'),
  rebuild: entry(`${MC}/rebuild`,
    { on: ['MachineOSConfig'], writer: 'user', readers: ['build-controller'] },
    'any value: the image is built again; removed once that has begun'),
  rebuilds: entry('millwright.dev/rebuilds',
    { on: ['MachineOSConfig'], writer: 'build-controller', readers: ['build-controller'] },
    'uid of the MachineOSBuild that the requested rebuild replaces, or none'),
  preBuiltImage: entry(`${MC}/pre-built-image`,
    { on: ['MachineOSConfig'], writer: 'user', readers: ['build-controller'] },
    'image by digest to begin with, in place of a first build; removed once it is used'),
  jobUid: entry(`${MC}/job-uid`,
    { on: ['MachineOSBuild'], writer: 'build-controller', readers: ['build-controller'] },
    'uid of the Job of the build'),
  renderedImagePushSecret: entry(`${MC}/rendered-image-push-secret`,
    { on: ['MachineOSBuild'], writer: 'build-controller', readers: ['build-controller'] },
    'name of the Secret with the credentials for its image'),
  imageInputs: entry('millwright.dev/image-inputs',
    { on: ['MachineOSBuild'], writer: 'build-controller', readers: ['build-controller'] },
    'digest of what the image depends on: builds with the same one have the same image'),
  imageSize: entry('millwright.dev/image-size',
    { on: ['MachineOSBuild'], writer: 'build-controller', readers: ['user'] },
    'bytes that a node downloads for the image, as its registry reports them'),
  credentials: entry('millwright.dev/credentials',
    { on: ['MachineOSBuild', 'Job'], writer: 'build-controller', readers: ['build-controller'] },
    'uids and resourceVersions of the Secrets that the build uses; others are a reason to retry a failed build'),
} as const;

// biome-ignore format: a table that keeps each key together.
const nodeLabels = {
  nodeRoleMaster: entry('node-role.kubernetes.io/master',
    { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; a control plane node'),
  nodeRoleControlPlane: entry('node-role.kubernetes.io/control-plane',
    { on: ['Node'], writer: 'author', readers: ['node-controller', 'user'] },
    'empty; a control plane node, beside the older master'),
  nodeRoleWorker: entry('node-role.kubernetes.io/worker',
    { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; a worker node'),
  nodeRoleArbiter: entry('node-role.kubernetes.io/arbiter',
    { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; a node that only provides quorum'),
  os: entry('kubernetes.io/os', { on: ['Node'], writer: 'kubelet', readers: ['node-controller'] },
    'linux or windows; Windows nodes are ignored'),
  zone: entry('topology.kubernetes.io/zone', { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'name of a failure domain; nodes are updated zone by zone'),
} as const;

// biome-ignore format: a table that keeps each key together.
const configLabels = {
  role: entry(`${MC}/role`,
    { on: ['MachineConfig', 'PinnedImageSet'], writer: 'author', readers: ['render-controller', 'kind-controller', 'pinned-image-set-controller'] },
    'name of a role, usually of a pool; matched by the selectors of pools'),
  mcoBuiltIn: entry(`${MC}/mco-built-in`,
    { on: ['MachineConfigPool'], writer: 'operator', readers: ['registries-controller'] },
    'empty; the pools master, worker and arbiter, for which registries are generated'),
  requiredForUpgrade: entry(`operator.${MC}/required-for-upgrade`,
    { on: ['MachineConfigPool'], writer: 'operator', readers: ['operator'] },
    'empty; the operator waits for the pool before it reports an update as complete'),
  operatorManaged: entry('openshift.io/operator-managed',
    { on: ['CustomResourceDefinition'], writer: 'author', readers: ['operator'] },
    'empty; a CRD of the machine configuration group'),
} as const;

// biome-ignore format: a table that keeps each key together.
const installationLabels = {
  partOf: entry('app.kubernetes.io/part-of', { on: ['Namespace'], writer: 'author', readers: ['user'] },
    '`millwright` on the namespace of the components: `millwright builds` and `millwright uninstall` find it by this label'),
};

// biome-ignore format: a table that keeps each key together.
const buildLabels = {
  machineOSConfig: entry(`${MC}/machine-os-config`,
    { on: ['MachineOSBuild', 'Job', 'ConfigMap', 'Secret'], writer: 'build-controller', readers: ['build-controller', 'user'] },
    'name of the MachineOSConfig'),
  machineOSBuild: entry(`${MC}/machine-os-build`,
    { on: ['Job', 'ConfigMap', 'Secret'], writer: 'build-controller', readers: ['build-controller', 'user'] },
    'name of the MachineOSBuild'),
  targetMachineConfigPool: entry(`${MC}/target-machine-config-pool`,
    { on: ['MachineOSBuild', 'Job', 'ConfigMap', 'Secret'], writer: 'build-controller', readers: ['user'] },
    'name of the pool'),
  renderedMachineConfig: entry(`${MC}/rendered-machine-config`,
    { on: ['MachineOSBuild', 'Job', 'ConfigMap', 'Secret'], writer: 'build-controller', readers: ['user'] },
    'name of the rendered MachineConfig that is built into the image'),
  onClusterLayering: entry(`${MC}/on-cluster-layering`,
    { on: ['Job', 'ConfigMap', 'Secret'], writer: 'build-controller', readers: ['user'] },
    'empty; an object of image mode'),
  ephemeralBuildObject: entry(`${MC}/ephemeral-build-object`,
    { on: ['Job', 'ConfigMap', 'Secret'], writer: 'build-controller', readers: ['build-controller'] },
    'empty; deleted after the build has succeeded'),
  preBuiltImageBuild: entry(`${MC}/pre-built-image`,
    { on: ['MachineOSBuild'], writer: 'build-controller', readers: ['build-controller'] },
    'true; no Job: the image was there before'),
} as const;

// Families of labels: the key is the prefix, the part after the slash varies.
// biome-ignore format: a table that keeps each key together.
const labelPrefixes = {
  nodeRole: entry('node-role.kubernetes.io', { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; after the slash the name of a role. Matched by the selectors of pools'),
  pool: entry(`pools.operator.${MC}`,
    { on: ['MachineConfigPool'], writer: 'author', readers: ['kind-controller'] },
    'empty; after the slash the name of the pool. Matched by the selectors of KubeletConfigs and the like'),
} as const;

// biome-ignore format: a table that keeps each key together.
const taintEntries = {
  updateInProgress: {
    ...entry('UpdateInProgress', { on: ['Node'], writer: 'node-controller', readers: ['node-controller'] },
      'none; the node waits for an update or is being updated'),
    effect: 'PreferNoSchedule',
  },
} as const;

/** All keys, for documentation and tests. */
export const keyRegister = {
  annotations: { ...nodeAnnotations, ...configAnnotations, ...podAnnotations, ...buildAnnotations },
  labels: { ...nodeLabels, ...configLabels, ...buildLabels, ...installationLabels },
  labelPrefixes,
  taints: taintEntries,
} as const;

export const annotations = keysOf(keyRegister.annotations);
export const labels = keysOf(keyRegister.labels);

/** The value of `currentConfig` on a machine that was never given a config. There is no such MachineConfig. */
export const EMPTY_CONFIG_NAME = 'mco-empty-mc';

/** `nodeRoleLabel('infra')` is `node-role.kubernetes.io/infra`. */
export function nodeRoleLabel<const Role extends string>(role: Role) {
  return `${labelPrefixes.nodeRole.key}/${role}` as const;
}

/** The label of a built-in pool, which selectors of pools use. */
export function poolLabel<const Pool extends string>(pool: Pool) {
  return `${labelPrefixes.pool.key}/${pool}` as const;
}

/** Taints of nodes: key and effect, never a value. */
export const taints = {
  updateInProgress: taintOf(taintEntries.updateInProgress),
} as const;

function entry<const Key extends string>(key: Key, flow: Flow, value: string): KeyEntry<Key> {
  return { key, ...flow, value };
}

function ofPods(writer: Party): Flow {
  return { on: ['Pod'], writer, readers: ['simulated-kubelet'] };
}

function keysOf<const E extends { readonly [name: string]: KeyEntry }>(entries: E) {
  // Object.fromEntries loses the relation between names and keys; the type restores it.
  return Object.fromEntries(Object.entries(entries).map(([name, { key }]) => [name, key])) as {
    readonly [Name in keyof E]: E[Name]['key'];
  };
}

function taintOf<const Key, const Effect>({ key, effect }: { readonly key: Key; readonly effect: Effect }) {
  return { key, effect };
}
