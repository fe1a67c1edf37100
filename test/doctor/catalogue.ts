/**
 * States in which nothing moves, with the cause that `millwright doctor` must name. Written before its rules: the stories
 * of this folder produce the states, and the rules follow from them.
 *
 * Ids with S1 (the MachineOSConfig), S2 (the build) and S3 (the nodes) are those of the failure catalogue of upstream's image
 * mode; ids with M are states that only Millwright has, or that the catalogue has no row for.
 */

/** A state that can occur. */
export type StuckState = {
  readonly id: string;
  readonly state: string;
  /** The code of the top cause. */
  readonly expected: string;
  /** Nothing is blocked: it is the first of what else was seen, and the exit code is 0. */
  readonly isWarning?: true;
};

/** A row of upstream's catalogue that cannot occur, or not as a lasting state. */
export type ImpossibleState = { readonly id: string; readonly state: string; readonly why: string };

/** Several things at once: both are named, the one that blocks first on top. */
export type DoubleFault = {
  readonly id: string;
  readonly state: string;
  readonly expected: readonly [first: string, second: string];
};

/** No cause may be asserted. */
export type HealthyState = { readonly id: string; readonly state: string };

export const STUCK: readonly StuckState[] = [
  // The MachineOSConfig.
  { id: 'S1-03', state: 'the push spec is no canonical reference', expected: 'InvalidPushSpec' },
  { id: 'S1-05', state: 'the pool of a MachineOSConfig does not exist', expected: 'PoolNotFound' },
  { id: 'S1-06', state: 'the push secret does not exist', expected: 'SecretNotFound' },
  { id: 'S1-07', state: 'the push secret has another type', expected: 'InvalidSecret' },
  { id: 'S1-08', state: 'the push secret is no JSON', expected: 'InvalidSecret' },
  { id: 'S1-09', state: 'a node of the pool runs another OS than CoreOS', expected: 'NotCoreOS' },
  {
    id: 'S1-11',
    state: 'the MachineOSConfig has a Containerfile for another architecture only',
    expected: 'ContainerfileNotUsed',
  },
  { id: 'S1-12', state: 'no builder runs', expected: 'NoBuilder' },
  { id: 'S1-13', state: 'the pre-built image is not given by digest', expected: 'InvalidPreBuiltImage' },
  { id: 'S1-14', state: 'a pre-built image is given, and no push secret exists', expected: 'SecretNotFound' },

  // The build.
  { id: 'S2-03', state: 'the Containerfile has a syntax error', expected: 'InvalidContainerfile' },
  { id: 'S2-04', state: 'the base image needs other credentials', expected: 'BaseImageUnauthorized' },
  { id: 'S2-05', state: 'the base image does not exist', expected: 'BaseImageNotFound' },
  { id: 'S2-06', state: 'a RUN step fails', expected: 'BuildStepFailed' },
  { id: 'S2-08', state: 'the step that installs extensions fails', expected: 'BuildStepFailed' },
  {
    id: 'S2-09',
    state: 'the kernel type does not fit the architecture of the nodes',
    expected: 'InvalidContainerfile',
  },
  { id: 'S2-10', state: 'the registry refuses the push before the build', expected: 'RegistryError' },
  { id: 'S2-11', state: 'the registry cannot be reached from the builder', expected: 'RegistryError' },
  {
    id: 'S2-12',
    state: 'the credentials have expired when the image is pushed',
    expected: 'ImagePushFailed',
  },
  { id: 'S2-13', state: 'the digest of the image cannot be reported', expected: 'DigestNotReported' },
  {
    id: 'S2-15',
    state: 'the push spec has more parts than a pull spec may have',
    expected: 'InvalidPushSpec',
  },
  { id: 'S2-16', state: 'no node has room for the build pod', expected: 'BuildPodUnschedulable' },
  { id: 'S2-17', state: 'the image of the builder cannot be pulled', expected: 'BuilderImageNotPulled' },
  { id: 'S2-18', state: 'the build pod may not be created', expected: 'BuildPodRefused' },
  { id: 'S2-19', state: 'the build pod was evicted four times', expected: 'BuildPodEvicted' },
  { id: 'S2-20', state: 'the build did not end within its time', expected: 'BuildTimedOut' },
  { id: 'S2-21', state: 'all attempts of the build ended without a message', expected: 'BuildFailed' },
  { id: 'S2-25', state: 'the rendered config fits into no ConfigMap', expected: 'ObjectRefused' },
  { id: 'S2-26', state: 'the name of the pool is too long for the name of a Job', expected: 'NameTooLong' },
  {
    id: 'S2-31',
    state: 'the second build fails while nodes have the first image',
    expected: 'BuildStepFailed',
  },
  { id: 'S2-32', state: 'the builder died during the build', expected: 'NoBuilder' },

  // The nodes.
  { id: 'S3-01', state: 'a node may not pull its OS image', expected: 'OSImageUnauthorized' },
  { id: 'S3-02', state: 'the OS image was deleted from its registry', expected: 'OSImageNotFound' },
  { id: 'S3-03', state: 'a node cannot reach the registry', expected: 'OSRegistryUnreachable' },
  { id: 'S3-04', state: 'the signature policy of a node rejects the OS image', expected: 'OSImageRejected' },
  { id: 'S3-06', state: 'the disk of a node is full', expected: 'DiskFull' },
  { id: 'S3-07', state: 'a machine does not come back from its reboot', expected: 'NodeNotBack' },
  { id: 'S3-08', state: 'a node runs another OS image than its config has', expected: 'UnexpectedOSImage' },
  { id: 'S3-09', state: 'a staged OS cannot be finalized', expected: 'OSNotFinalized' },
  { id: 'S3-10', state: 'a file was changed by hand', expected: 'ConfigDrift' },
  { id: 'S3-11', state: 'a file was changed by hand, found before an update', expected: 'ConfigDrift' },
  { id: 'S3-12', state: 'a kernel argument was removed by hand', expected: 'ConfigDrift' },
  { id: 'S3-13', state: 'a node cannot follow a change (FIPS)', expected: 'ConfigNotReconcilable' },
  {
    id: 'S3-14',
    state: 'a disruption budget that allows no eviction blocks a drain',
    expected: 'DrainBlocked',
  },
  {
    id: 'S3-15',
    state: 'a disruption budget has blocked a drain for over an hour',
    expected: 'DrainBlocked',
  },
  {
    id: 'S3-16',
    state: 'another client uncordons a node during its drain',
    expected: 'UncordonedDuringDrain',
  },
  { id: 'S3-17', state: 'the API server refuses to uncordon a node', expected: 'FailedToUncordon' },
  { id: 'S3-18', state: 'an administrator has cordoned the nodes that are left', expected: 'NodeCordoned' },
  { id: 'S3-19', state: 'a node that is not ready uses up maxUnavailable', expected: 'NodeNotReady' },
  { id: 'S3-20', state: 'the pool is paused with changes pending', expected: 'PoolPaused' },
  { id: 'S3-21', state: 'a MachineConfig cannot be rendered', expected: 'RenderFailed' },
  { id: 'S3-22', state: 'the ControllerConfig was written by another version', expected: 'OtherVersion' },
  { id: 'S3-23', state: 'two custom pools select a node', expected: 'NodeInTwoPools' },
  {
    id: 'S3-24',
    state: 'a custom pool selects a control plane node',
    expected: 'ControlPlaneInCustomPool',
    isWarning: true,
  },
  { id: 'S3-25', state: 'the node selector of a pool is empty', expected: 'SelectingAll' },
  { id: 'S3-26', state: 'the config that a node should have was deleted', expected: 'MissingMachineConfig' },
  { id: 'S3-29', state: 'a service cannot be reloaded', expected: 'ServiceActionFailed' },
  { id: 'S3-30', state: 'a machine refuses to reboot', expected: 'RebootFailed' },
  {
    id: 'S3-31',
    state: 'packages of an extension are missing after the boot',
    expected: 'ExtensionsMissing',
  },
  { id: 'S3-34', state: 'the daemon of a node does not run', expected: 'DaemonNotRunning' },
  { id: 'S3-39', state: 'an image of a PinnedImageSet cannot be pulled', expected: 'PinnedImagesFailing' },
  { id: 'S3-41', state: 'a node has been applying its config for hours', expected: 'NodeStuck' },

  // What upstream's catalogue has no row for.
  { id: 'M-01', state: 'two MachineOSConfigs are for one pool', expected: 'AnotherMachineOSConfig' },
  { id: 'M-02', state: 'a pool that builds has no OS image to build on', expected: 'NoOSImage' },
  { id: 'M-03', state: 'pre-flight refuses a config', expected: 'PreflightRefused' },
  { id: 'M-04', state: 'the kubelet of a node is gone, and no update is pending', expected: 'NodeNotReady' },
  { id: 'M-05', state: 'a kubelet is back from a reboot, and its daemon is not', expected: 'DaemonNotBack' },
  { id: 'M-06', state: 'no controller holds its Lease', expected: 'ControllerNotRunning' },
  { id: 'M-07', state: 'no operator holds its Lease', expected: 'OperatorNotRunning' },
  { id: 'M-08', state: 'the API server refuses what a controller writes', expected: 'ControllersFailing' },
  { id: 'M-09', state: 'the machine config server has no ready pod', expected: 'ServerNotRunning' },
  {
    id: 'M-10',
    state: 'a serving certificate of a kubelet is not approved',
    expected: 'ServingCertificatePending',
  },
  { id: 'M-11', state: 'a pod has two disruption budgets', expected: 'SeveralBudgets' },
  { id: 'M-12', state: 'an admission policy refuses evictions', expected: 'EvictionRefused' },
  { id: 'M-13', state: 'a pod with a finalizer does not end', expected: 'PodNotTerminating' },
  { id: 'M-14', state: 'an admission policy refuses the cordon', expected: 'FailedToCordon' },
  { id: 'M-15', state: 'two mirror sets contradict each other', expected: 'MirrorSetRefused' },
  {
    id: 'M-16',
    state: 'a KubeletConfig has a value that no kubelet accepts',
    expected: 'KubeletConfigRefused',
  },
  {
    id: 'M-17',
    state: 'a ContainerRuntimeConfig selects no pool',
    expected: 'ContainerRuntimeConfigRefused',
  },
  { id: 'M-18', state: 'two image policies contradict each other', expected: 'ImagePolicyRefused' },
  { id: 'M-19', state: 'the registry settings of the cluster are invalid', expected: 'ImageConfigRefused' },
  { id: 'M-20', state: 'maxUnavailable is no number', expected: 'InvalidMaxUnavailable' },
  { id: 'M-21', state: 'the node selector of a pool is invalid', expected: 'InvalidNodeSelector' },
  {
    id: 'M-22',
    state: 'the control plane waits for an arbiter that an administrator has cordoned',
    expected: 'WaitsForArbiter',
  },
  { id: 'M-24', state: 'the state of a daemon on its disk is damaged', expected: 'StateDamaged' },
  { id: 'M-25', state: 'an update cannot be undone', expected: 'RollbackFailed' },
  { id: 'M-26', state: 'a file cannot be written', expected: 'NodeDegraded' },
  { id: 'M-27', state: 'an OS image is not CoreOS', expected: 'OSImageRefused' },
  {
    id: 'M-28',
    state: 'a pool selects more PinnedImageSets than it can have',
    expected: 'PinnedImageSetsRefused',
  },
  { id: 'M-29', state: 'no pool selects a managed node', expected: 'NodeInNoPool', isWarning: true },
  { id: 'M-30', state: 'the CA of the registry is not trusted by a node', expected: 'OSRegistryNotTrusted' },
  { id: 'M-31', state: 'a node of a pool has no daemon', expected: 'DaemonNotRunning' },
  { id: 'M-32', state: 'Millwright is not installed, only its objects are', expected: 'NotInstalled' },
  { id: 'M-33', state: 'a new pool has no config, since nothing can be rendered', expected: 'RenderFailed' },
  { id: 'M-34', state: 'the OS images are of another release', expected: 'OtherVersion' },
  { id: 'M-35', state: 'no rendered config of a pool was written for minutes', expected: 'NotRendered' },
  { id: 'M-39', state: 'the OS image is not what its digest says', expected: 'OSImageNotPulled' },
  { id: 'M-40', state: 'a task of the operator fails', expected: 'OperatorFailing' },
  { id: 'M-41', state: 'the arbiter waits for the control plane', expected: 'WaitsForMaster' },
  { id: 'M-38', state: 'the builder fails, and may not even write why', expected: 'BuildNotStarted' },
  {
    id: 'M-37',
    state: 'the base image is in a registry that cannot be reached',
    expected: 'BaseRegistryUnreachable',
  },
];

export const IMPOSSIBLE: readonly ImpossibleState[] = [
  {
    id: 'S1-01',
    state: 'a MachineOSConfig with another name than its pool',
    why: 'the API refuses it; one from before that rule is M-01',
  },
  { id: 'S1-02', state: 'a push spec without a tag or host', why: 'the API refuses it' },
  { id: 'S1-04', state: 'a Containerfile that is too long', why: 'the API refuses it' },
  {
    id: 'S1-10',
    state: 'a pool with the legacy label of layering',
    why: 'the label is not read: a pool builds if it has a MachineOSConfig',
  },
  {
    id: 'S2-01',
    state: 'no build, because the pool is degraded',
    why: 'an image is built whatever the state of the pool: it may be the cure',
  },
  {
    id: 'S2-02',
    state: 'the rendered config is missing, or lacks annotations',
    why: 'the render controller writes it again; without a controller that is M-06',
  },
  {
    id: 'S2-07',
    state: 'Ignition fails inside of the image',
    why: 'files are put into the image by the builder, not by an Ignition of the image; what fails there is S2-06',
  },
  {
    id: 'S2-14',
    state: 'the ConfigMap with the digest is gone after the Job',
    why: 'the build counts as interrupted and is repeated at once',
  },
  { id: 'S2-22', state: 'the Job was deleted by hand', why: 'the build is repeated at once' },
  { id: 'S2-23', state: 'a failed build is never retried', why: 'it is retried after growing delays' },
  {
    id: 'S2-24',
    state: 'the rebuild annotation is ignored',
    why: 'it is honoured whether or not a build is followed',
  },
  {
    id: 'S2-27',
    state: 'the ConfigMap with the image of the builder is missing',
    why: 'the image of the builder is a flag of the process, not read from the cluster',
  },
  {
    id: 'S2-28',
    state: 'inspecting an image needs credentials',
    why: 'an image that cannot be inspected holds up nothing: nodes have it already',
  },
  {
    id: 'S2-29',
    state: 'only files change, and no build matches the present image',
    why: 'without a build with the same inputs one is started',
  },
  {
    id: 'S2-30',
    state: 'image mode is turned on in the middle of a rollout of files',
    why: 'without an earlier image a build is started, whatever differs',
  },
  {
    id: 'S3-05',
    state: 'the image stream is in another namespace',
    why: 'there are no image streams; a registry that refuses nodes alone is S3-01',
  },
  {
    id: 'S3-27',
    state: 'the bootstrap config differs from the rendered one',
    why: 'a machine joins with the config that the server gave it, and is updated from there',
  },
  {
    id: 'S3-32',
    state: 'a MachineConfigNode is missing',
    why: 'the operator creates it again; without it: M-07',
  },
  {
    id: 'S3-28',
    state: 'the node disruption policies are not written to the status',
    why: 'a daemon that finds the status of an earlier spec merges the policies itself',
  },
  {
    id: 'S3-33',
    state: 'a phase of a MachineConfigNode lasts',
    why: 'no cause by itself: each phase has its own rows, and what none of them explains is S3-41',
  },
  {
    id: 'S3-35',
    state: 'a degraded node that is cordoned is not sent to a new target',
    why: 'a node that we cordoned and that fails is sent on in its own slot',
  },
  {
    id: 'S3-36',
    state: 'the service that reverts a layered image failed',
    why: 'the daemon itself goes back to the base image, as for any other image: S3-01 to S3-09',
  },
  {
    id: 'S3-37',
    state: 'the annotation with the current build is stale',
    why: 'a build counts only for the config that it was built from',
  },
  { id: 'S3-38', state: 'a new node of a layered pool boots twice', why: 'expected, and it ends by itself' },
  {
    id: 'S3-40',
    state: 'the cluster cannot be upgraded',
    why: 'a consequence of a degraded pool, whose cause is named',
  },
  {
    id: 'M-23',
    state: 'a drain waits so that etcd keeps its quorum',
    why: 'no cause by itself: what keeps the other control plane nodes down is named',
  },
  {
    id: 'M-36',
    state: 'the last schedulable node waits for another one',
    why: 'no cause by itself: what keeps the other node is named',
  },
  { id: 'S3-42', state: 'the node of the operator comes last', why: 'expected, and it ends by itself' },
];

export const HEALTHY: readonly HealthyState[] = [
  { id: 'H-01', state: 'all pools are updated' },
  { id: 'H-02', state: 'a rollout is under way: one node reboots, others wait' },
  { id: 'H-03', state: 'an eviction has been refused for a second' },
  { id: 'H-04', state: 'a pool is paused, and nothing is pending' },
  { id: 'H-05', state: 'an administrator has cordoned a node of an updated pool' },
  { id: 'H-06', state: 'a MachineConfig was just applied and is not rendered yet' },
  { id: 'H-07', state: 'an OS image is being built' },
  { id: 'H-08', state: 'the first attempt of a build failed, and the next one runs' },
  { id: 'H-09', state: 'a node downloads its OS image' },
  { id: 'H-10', state: 'a node joins' },
  { id: 'H-11', state: 'a node that failed has recovered' },
  { id: 'H-12', state: 'an administrator reboots a node, and it is back within a minute' },
];

export const DOUBLE: readonly DoubleFault[] = [
  {
    id: 'D-01',
    state: 'the controllers do not run, and a budget blocks a drain',
    expected: ['ControllerNotRunning', 'DrainBlocked'],
  },
  {
    id: 'D-02',
    state: 'a MachineConfig cannot be rendered, and a node has drifted',
    expected: ['RenderFailed', 'ConfigDrift'],
  },
  {
    id: 'D-03',
    state: 'a pool is paused with changes, and a node of another pool cannot pull its image',
    expected: ['PoolPaused', 'OSImageNotFound'],
  },
  {
    id: 'D-04',
    state: 'a push secret is missing, and a node refuses to reboot',
    expected: ['SecretNotFound', 'RebootFailed'],
  },
  {
    id: 'D-05',
    state: 'no builder runs, and the pool is paused with changes',
    expected: ['NoBuilder', 'PoolPaused'],
  },
  {
    id: 'D-06',
    state: 'pre-flight refuses a config, and a KubeletConfig is not accepted',
    expected: ['PreflightRefused', 'KubeletConfigRefused'],
  },
  {
    id: 'D-07',
    state: 'a node is not ready, and another one has drifted',
    expected: ['NodeNotReady', 'ConfigDrift'],
  },
  {
    id: 'D-08',
    state: 'the operator does not run, and two pools select a node',
    expected: ['OperatorNotRunning', 'NodeInTwoPools'],
  },
  {
    id: 'D-09',
    state: 'a budget blocks a drain, and two mirror sets contradict each other',
    expected: ['DrainBlocked', 'MirrorSetRefused'],
  },
  {
    id: 'D-10',
    state: 'a RUN step fails in one pool, and maxUnavailable of another one is no number',
    expected: ['BuildStepFailed', 'InvalidMaxUnavailable'],
  },
];

/** What users of upstream complain about most, by its number in the notes on rollouts: the states that it is here. */
export type PainPoint = {
  readonly number: number;
  readonly complaint: string;
  readonly states: readonly string[];
  /** Where no state of the cluster shows it. */
  readonly why?: string;
};

export const PAIN_POINTS: readonly PainPoint[] = [
  {
    number: 1,
    complaint: 'a drain is stuck behind a budget, which only a log says',
    states: ['S3-14', 'S3-15', 'M-11', 'M-12', 'M-13'],
  },
  {
    number: 2,
    complaint: 'a node broken by a bad config is not sent on after the revert',
    states: ['S3-35', 'M-26', 'H-11'],
  },
  {
    number: 3,
    complaint: 'a rendered config was deleted, or differs from that of the bootstrap',
    states: ['S3-26', 'S3-27'],
  },
  {
    number: 4,
    complaint: 'a mirror set disrupts the whole cluster',
    states: ['M-15'],
    why: 'what it would do is shown by `millwright plan` before it happens',
  },
  {
    number: 5,
    complaint: 'a node in two custom pools stops being updated, and vanishes from the counts',
    states: ['S3-23'],
  },
  { number: 6, complaint: 'a pool counts as updating since a node was cordoned', states: ['H-05', 'S3-18'] },
  {
    number: 7,
    complaint: 'nobody knows what a paused pool still gets, and certificates expire',
    states: ['H-04', 'S3-20', 'M-10'],
  },
  {
    number: 8,
    complaint: 'neither order nor windows of a rollout can be chosen',
    states: [],
    why: 'a wish, and no state: nothing is stuck',
  },
  {
    number: 9,
    complaint: 'a node that was uncordoned during its drain is forgotten; flags are stale',
    states: ['S3-16', 'S3-17'],
  },
  {
    number: 10,
    complaint: 'an edit by hand degrades the node and blocks the pool',
    states: ['S3-10', 'S3-11', 'S3-12'],
  },
];
