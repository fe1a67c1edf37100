/**
 * Every annotation, label and taint that we write or read: on what it stands, who writes it, who reads it,
 * and what its value looks like. A key that is not here is not ours.
 *
 *     node.metadata.annotations?.[annotations.currentConfig]
 *
 * A field has one writer, so a key has one too. Values with a grammar have a `parse` and `format` elsewhere
 * (`drain-request.ts`); no code takes them apart by itself.
 *
 * Read the groups top-down; the constants that code uses are at the end.
 */
import { MACHINE_CONFIGURATION_GROUP as MC } from './groups.ts';

/** Who writes or reads: our components by their names, and the world around them. */
type Party =
  | 'operator'
  | 'template-controller'
  | 'render-controller'
  | 'registries-controller'
  | 'node-controller'
  | 'drain-controller'
  | 'build-controller'
  | 'boot-image-controller'
  | 'daemon'
  | 'server'
  | 'kubelet'
  /** The one of the embedded cluster, which simulates pods. */
  | 'simulated-kubelet'
  | 'user'
  /** Whoever made the object. */
  | 'author'
  /** The controller that acts on objects of that kind. */
  | 'kind-controller'
  /** The key is known, and kept free: nothing of ours touches it. */
  | 'nobody';

type Flow = {
  /** The kinds of objects that carry it. */
  readonly on: readonly [string, ...string[]];
  readonly writer: Party;
  readonly readers: readonly [Party, ...Party[]];
};

export type KeyEntry<Key extends string = string> = Flow & {
  readonly key: Key;
  /** What the value is. */
  readonly value: string;
};

// biome-ignore format: a table that keeps each key together.
const nodeAnnotations = {
  currentConfig: entry(`${MC}/currentConfig`,
    { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'daemon'] },
    'name of the rendered MachineConfig that the node has; the first one is in the first-boot file'),
  desiredConfig: entry(`${MC}/desiredConfig`,
    { on: ['Node'], writer: 'node-controller', readers: ['daemon', 'node-controller'] },
    'name of the rendered MachineConfig to move to; the daemon sets the first one, from the first-boot file'),
  currentImage: entry(`${MC}/currentImage`,
    { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'build-controller'] },
    'image reference from which the node booted in image mode; absent otherwise'),
  desiredImage: entry(`${MC}/desiredImage`,
    { on: ['Node'], writer: 'node-controller', readers: ['daemon', 'build-controller'] },
    'image reference to move to in image mode; absent otherwise'),
  state: entry(`${MC}/state`, { on: ['Node'], writer: 'daemon', readers: ['node-controller'] },
    'Working, Done, Degraded or Unreconcilable'),
  reason: entry(`${MC}/reason`, { on: ['Node'], writer: 'daemon', readers: ['node-controller', 'daemon'] },
    'why the state is what it is, at most 2000 characters; empty once all is well'),
  desiredDrain: entry(`${MC}/desiredDrain`,
    { on: ['Node'], writer: 'daemon', readers: ['drain-controller', 'daemon'] },
    'drain-<config> or uncordon-<config>'),
  lastAppliedDrain: entry(`${MC}/lastAppliedDrain`,
    { on: ['Node'], writer: 'drain-controller', readers: ['daemon', 'drain-controller'] },
    'the text of desiredDrain, once it is done'),
  drain: entry('millwright.dev/drain',
    { on: ['Node'], writer: 'drain-controller', readers: ['daemon', 'drain-controller', 'node-controller', 'user'] },
    'JSON: when the drain began, attempts, who had cordoned before, the last refusal with pod and budget'),
  postConfigAction: entry(`${MC}/post-config-action`, { on: ['Node'], writer: 'daemon', readers: ['daemon'] },
    'Rebooting while a reboot is under way, empty afterwards'),
  ostreeFinalizeStagedFailure: entry(`${MC}/ostree-finalize-staged-failure`,
    { on: ['Node'], writer: 'daemon', readers: ['user'] },
    'what the journal says of an OS image that did not boot, at most 2000 characters; or empty'),
  firstPivotConfig: entry(`${MC}/firstPivotConfig`,
    { on: ['Node'], writer: 'daemon', readers: ['node-controller'] },
    'name of the MachineConfig that the node was given at its first boot, from the first-boot file'),
  customPoolLabelsApplied: entry(`${MC}/customPoolLabelsApplied`,
    { on: ['Node'], writer: 'node-controller', readers: ['node-controller'] },
    'empty; there once the node has the labels of the custom pool that it joined with'),
  controlPlaneTopology: entry(`${MC}/controlPlaneTopology`,
    { on: ['Node'], writer: 'node-controller', readers: ['daemon'] },
    'topology of the control plane: HighlyAvailable (as which unknown ones count), SingleReplica, …'),
  lastSyncedControllerConfigResourceVersion: entry(`${MC}/lastSyncedControllerConfigResourceVersion`,
    { on: ['Node'], writer: 'daemon', readers: ['daemon'] },
    'resourceVersion of the ControllerConfig whose certificates are on the node'),
  lastObservedServerCAAnnotation: entry(`${MC}/lastObservedServerCAAnnotation`,
    { on: ['Node'], writer: 'daemon', readers: ['daemon'] },
    'the text of service-ca-rotate that the daemon last acted on'),
  ssh: entry(`${MC}/ssh`, { on: ['Node'], writer: 'nobody', readers: ['nobody'] },
    'accessed; once marked nodes that somebody had logged in to'),
} as const;

// biome-ignore format: a table that keeps each key together.
const configAnnotations = {
  generatedByControllerVersion: entry(`${MC}/generated-by-controller-version`,
    { on: ['MachineConfig'], writer: 'author', readers: ['render-controller', 'build-controller', 'user'] },
    'version hash of the controllers that generated it; absent on what users wrote'),
  releaseImageVersion: entry(`${MC}/release-image-version`,
    { on: ['MachineConfig', 'ControllerConfig', 'OSImageStream'],
      writer: 'author', readers: ['render-controller', 'build-controller'] },
    'release version; on an OSImageStream the version hash of the controllers'),
  osImageURLOverridden: entry(`${MC}/os-image-url-overridden`,
    { on: ['MachineConfig'], writer: 'render-controller', readers: ['user'] },
    'true, where the OS image is not the default one of the pool; absent otherwise'),
  preBuiltImage: entry(`${MC}/pre-built-image`,
    { on: ['MachineOSConfig', 'MachineConfig'], writer: 'author', readers: ['build-controller', 'server'] },
    'image reference by digest, to start from instead of a first build'),
  originalOSImageURL: entry(`${MC}/original-osimageurl`,
    { on: ['MachineConfig'], writer: 'daemon', readers: ['daemon'] },
    "on the daemon's own copy: the OS image for which an image-mode one stands in"),
  oclOSImageURL: entry(`${MC}/ocl-osimageurl`,
    { on: ['MachineConfig'], writer: 'daemon', readers: ['daemon'] },
    "on the daemon's own copy: the image-mode image that stands in"),
  generatedByVersion: entry(`${MC}/generated-by-version`,
    { on: ['ControllerConfig'], writer: 'operator', readers: ['template-controller', 'render-controller'] },
    'full version text of the operator'),
  renderProblem: entry('millwright.dev/render-problem',
    { on: ['MachineConfigPool'], writer: 'render-controller', readers: ['node-controller', 'user'] },
    'why the pool cannot be rendered, as its condition says it; absent while it can'),
  serviceCARotate: entry(`${MC}/service-ca-rotate`,
    { on: ['ControllerConfig'], writer: 'operator', readers: ['daemon'] },
    'true or false: whether nodes should refresh the authorities in their kubeconfig'),
  releasePayloadImage: entry(`${MC}/release-payload-image`,
    { on: ['OSImageStream'], writer: 'operator', readers: ['operator'] },
    'image reference of the release'),
  mcNameSuffix: entry(`${MC}/mc-name-suffix`,
    { on: ['KubeletConfig', 'ContainerRuntimeConfig'], writer: 'kind-controller', readers: ['kind-controller'] },
    'empty or 1 to 9: the suffix of the MachineConfigs generated from it'),
  bootImageUpdatesOptedInAt: entry(`${MC}/boot-image-updates-opted-in-at`,
    { on: ['MachineConfiguration'], writer: 'boot-image-controller', readers: ['boot-image-controller'] },
    'time (RFC 3339) at which boot image updates were turned on by themselves'),
  stubIgnitionUpgradedTo: entry(`${MC}/stub-ignition-upgraded-to`,
    { on: ['Secret'], writer: 'boot-image-controller', readers: ['user'] },
    'Ignition version to which the user data was brought'),
  stubIgnitionUpgradedAt: entry(`${MC}/stub-ignition-upgraded-at`,
    { on: ['Secret'], writer: 'boot-image-controller', readers: ['user'] },
    'time (RFC 3339) of that'),
  newestImageEquivalentConfig: entry(`${MC}/newestImageEquivalentConfig`,
    { on: ['MachineConfig'], writer: 'nobody', readers: ['nobody'] },
    'name of a MachineConfig'),
} as const;

// Read by the embedded cluster alone, whose pods are simulated.
// biome-ignore format: a table that keeps each key together.
const podAnnotations = {
  external: entry('millwright.dev/external', ofPods('author'),
    'any text: something else stands for the pod, and it is left alone'),
  simulatedTerminationSeconds: entry('millwright.dev/simulated-termination-seconds', ofPods('user'),
    'how long the pod takes to end; never longer than its grace'),
  simulatedRunSeconds: entry('millwright.dev/simulated-run-seconds', ofPods('user'),
    'how long the containers run until they end by themselves'),
  simulatedExitCode: entry('millwright.dev/simulated-exit-code', ofPods('user'),
    '0 to 255: with which code they then end; 0 unless given'),
} as const;

const onBuild = ofBuilds('MachineOSBuild');
const onBuildObject = ofBuilds('Job', 'ConfigMap', 'Secret');
const onBuildAndObjects = ofBuilds('MachineOSBuild', 'Job', 'ConfigMap', 'Secret');
const onSecretCopy = ofBuilds('Secret');

// biome-ignore format: a table that keeps each key together.
const buildAnnotations = {
  currentMachineOSBuild: entry(`${MC}/current-machine-os-build`,
    { on: ['MachineOSConfig'], writer: 'build-controller', readers: ['node-controller', 'build-controller', 'server'] },
    'name of the MachineOSBuild that it follows'),
  rebuild: entry(`${MC}/rebuild`, { on: ['MachineOSConfig'], writer: 'user', readers: ['build-controller'] },
    'any text; asks for the build to be made anew, and is taken away when that begins'),
  renderedImagePushSecret: entry(`${MC}/rendered-image-push-secret`, onBuild,
    'name of the Secret for the registry'),
  jobUID: entry(`${MC}/job-uid`, onBuild, 'uid of the Job that builds it'),
  machineOSConfig: entry(`${MC}/machine-os-config`, onBuildObject,
    'its name, also where too long for a label'),
  machineOSBuild: entry(`${MC}/machine-os-build`, onBuildObject, 'its name, also where too long for a label'),
  hasEtcPkiEntitlement: entry(`${MC}/has-etc-pki-entitlement`, onBuildObject,
    'empty; subscription certificates are there'),
  hasEtcYumReposD: entry(`${MC}/has-etc-yum-repos-d`, onBuildObject, 'empty; package repositories are there'),
  hasEtcPkiRpmGpg: entry(`${MC}/has-etc-pki-rpm-gpg`, onBuildObject, 'empty; keys of repositories are there'),
} as const;

// biome-ignore format: a table that keeps each key together.
const nodeLabels = {
  nodeRoleMaster: entry('node-role.kubernetes.io/master',
    { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; the node belongs to the control plane'),
  nodeRoleControlPlane: entry('node-role.kubernetes.io/control-plane',
    { on: ['Node'], writer: 'node-controller', readers: ['node-controller', 'user'] },
    'empty; added to every node with the role master'),
  nodeRoleWorker: entry('node-role.kubernetes.io/worker',
    { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; on control plane nodes the node controller sets it, where they take work, and removes it'),
  nodeRoleArbiter: entry('node-role.kubernetes.io/arbiter',
    { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; the node is there for the quorum only'),
  os: entry('kubernetes.io/os', { on: ['Node'], writer: 'kubelet', readers: ['node-controller'] },
    'linux or windows; nodes with windows are left alone'),
  zone: entry('topology.kubernetes.io/zone', { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'name of a failure domain; nodes are updated zone by zone'),
  osID: entry('node.openshift.io/os_id', { on: ['Node'], writer: 'kubelet', readers: ['user'] },
    'ID of /etc/os-release'),
} as const;

// biome-ignore format: a table that keeps each key together.
const configLabels = {
  role: entry(`${MC}/role`,
    { on: ['MachineConfig', 'PinnedImageSet'], writer: 'author', readers: ['render-controller', 'kind-controller'] },
    'name of a role, usually that of a pool; the selectors of pools go by it'),
  mcoBuiltIn: entry(`${MC}/mco-built-in`,
    { on: ['MachineConfigPool'], writer: 'operator', readers: ['registries-controller'] },
    'empty; the pools master, worker and arbiter, for which registries are generated'),
  requiredForUpgrade: entry(`operator.${MC}/required-for-upgrade`,
    { on: ['MachineConfigPool'], writer: 'operator', readers: ['operator'] },
    'empty; the operator waits for the pool before it calls an update done'),
  layeringEnabled: entry(`${MC}/layering-enabled`,
    { on: ['MachineConfigPool'], writer: 'user', readers: ['operator'] },
    'any text; an older way of asking for image mode'),
  rebuildImage: entry(`${MC}/rebuildImage`,
    { on: ['MachineConfigPool'], writer: 'nobody', readers: ['nobody'] },
    'any text; an older way of asking for a build anew'),
  operatorManaged: entry('openshift.io/operator-managed',
    { on: ['CustomResourceDefinition'], writer: 'author', readers: ['operator'] },
    'empty; a CRD of the machine configuration group'),
  managedCABundle: entry(`${MC}/managed-ca-bundle-derived-from-configmap`,
    { on: ['Secret'], writer: 'operator', readers: ['operator'] },
    'empty; user data whose authorities the operator keeps up to date'),
  machineOSID: entry('machine.openshift.io/os-id',
    { on: ['MachineSet'], writer: 'user', readers: ['boot-image-controller'] },
    'ID of the OS that its machines boot'),
  osStream: entry(`${MC}/osstream`,
    { on: ['MachineSet'], writer: 'user', readers: ['boot-image-controller'] },
    'name of the stream from which its machines take their boot image'),
} as const;

// biome-ignore format: a table that keeps each key together.
const buildLabels = {
  targetMachineConfigPool: entry(`${MC}/target-machine-config-pool`,
    { ...onBuildAndObjects, readers: ['build-controller', 'node-controller'] },
    'name of the pool'),
  renderedMachineConfig: entry(`${MC}/rendered-machine-config`, onBuildAndObjects,
    'name of what goes into it'),
  machineOSConfig: entry(`${MC}/machine-os-config`, onBuildAndObjects, 'name of what asks for it'),
  machineOSBuild: entry(`${MC}/machine-os-build`, onBuildObject, 'name of the build to which it belongs'),
  onClusterLayering: entry(`${MC}/on-cluster-layering`, onBuildObject, 'empty; the build controller made it'),
  ephemeralBuildObject: entry(`${MC}/ephemeral-build-object`, onBuildObject,
    'empty; to be deleted after the build'),
  canonicalizedSecret: entry(`${MC}/canonicalizedSecret`, onSecretCopy, 'empty; a copy for builds'),
  originalSecretName: entry(`${MC}/originalSecretName`, onSecretCopy, 'name of the Secret that it copies'),
  preBuiltImage: entry(`${MC}/pre-built-image`, onBuild, 'true; the image was built elsewhere'),
} as const;

// Families of labels: the key here is the prefix, what follows the slash is free.
// biome-ignore format: a table that keeps each key together.
const labelPrefixes = {
  nodeRole: entry('node-role.kubernetes.io', { on: ['Node'], writer: 'author', readers: ['node-controller'] },
    'empty; behind the slash the name of a role. The selectors of pools go by it'),
  pool: entry(`pools.operator.${MC}`,
    { on: ['MachineConfigPool'], writer: 'author', readers: ['kind-controller'] },
    'empty; behind the slash the name of the pool. Selectors of KubeletConfigs and the like go by it'),
} as const;

// biome-ignore format: a table that keeps each key together.
const taintEntries = {
  updateInProgress: {
    ...entry('UpdateInProgress', { on: ['Node'], writer: 'node-controller', readers: ['node-controller'] },
      'none; the node waits for a newer configuration, or moves to it'),
    effect: 'PreferNoSchedule',
  },
  master: {
    ...entry('node-role.kubernetes.io/master',
      { on: ['Node'], writer: 'node-controller', readers: ['node-controller'] },
      'none; the control plane takes no work'),
    effect: 'NoSchedule',
  },
  controlPlane: {
    ...entry('node-role.kubernetes.io/control-plane',
      { on: ['Node'], writer: 'author', readers: ['node-controller'] },
      'none; the node controller removes it where the control plane takes work'),
    effect: 'NoSchedule',
  },
  arbiter: {
    ...entry('node-role.kubernetes.io/arbiter', { on: ['Node'], writer: 'kubelet', readers: ['user'] },
      'none; the node is there for the quorum only'),
    effect: 'NoSchedule',
  },
} as const;

/** All of it, for documentation and tests. */
export const keyRegister = {
  annotations: { ...nodeAnnotations, ...configAnnotations, ...podAnnotations, ...buildAnnotations },
  labels: { ...nodeLabels, ...configLabels, ...buildLabels },
  labelPrefixes,
  taints: taintEntries,
} as const;

export const annotations = keysOf(keyRegister.annotations);
export const labels = keysOf(keyRegister.labels);

/** `nodeRoleLabel('infra')` is `node-role.kubernetes.io/infra`. */
export function nodeRoleLabel<const Role extends string>(role: Role) {
  return `${labelPrefixes.nodeRole.key}/${role}` as const;
}

/** The label that a built-in pool carries and that selectors of pools go by. */
export function poolLabel<const Pool extends string>(pool: Pool) {
  return `${labelPrefixes.pool.key}/${pool}` as const;
}

/** Taints as they stand on a node: key and effect, never a value. */
export const taints = {
  updateInProgress: taintOf(taintEntries.updateInProgress),
  master: taintOf(taintEntries.master),
  controlPlane: taintOf(taintEntries.controlPlane),
  arbiter: taintOf(taintEntries.arbiter),
} as const;

function entry<const Key extends string>(key: Key, flow: Flow, value: string): KeyEntry<Key> {
  return { key, ...flow, value };
}

function ofPods(writer: Party): Flow {
  return { on: ['Pod'], writer, readers: ['simulated-kubelet'] };
}

function ofBuilds(...on: Flow['on']): Flow {
  return { on, writer: 'build-controller', readers: ['build-controller'] };
}

function keysOf<const E extends { readonly [name: string]: KeyEntry }>(entries: E) {
  // Object.fromEntries forgets which key belongs to which name; the type says it again.
  return Object.fromEntries(Object.entries(entries).map(([name, { key }]) => [name, key])) as {
    readonly [Name in keyof E]: E[Name]['key'];
  };
}

function taintOf<const Key, const Effect>({ key, effect }: { readonly key: Key; readonly effect: Effect }) {
  return { key, effect };
}
