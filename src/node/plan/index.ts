/**
 * Plans the update of a node from one config to another. Pure.
 *
 *     readNodeConfig             a MachineConfig as a node reads it
 *     planUpdate                 two configs → steps, drain, post actions; or why the node cannot apply the new one
 *     staleData, osChanges, …    what a step needs to know
 *     expectedDisk, diskProblem  does the machine match its config?
 *     syncedFiles, planSync      files that follow the ControllerConfig without an update
 *     authorityChange            the CAs of the API server in a kubeconfig, which follow it too
 *
 * Not here: changing a machine (`node/host`), executing plans (`node/daemon`), and which node is updated when (`rollout`).
 *
 * Start with `plan-types.ts`, then `plan-update.ts`.
 */
export {
  type DiskProblem,
  diskProblem,
  type ObservedDisk,
  type ObservedPath,
  onDiskStateError,
} from './disk-check.ts';
export { mergePolicies, policiesInForce, policyMatches } from './disruption-policy.ts';
export { type ExpectedDisk, expectedDisk, whatToObserve } from './expected-disk.ts';
export {
  extensionPackages,
  extensionProblem,
  missingFromStaged,
  packagesToVerify,
  unknownExtensions,
  unsupportedPackages,
} from './extensions.ts';
export { missingKernelArguments, splitKernelArguments } from './kernel-arguments.ts';
export { kernelTypeProblem } from './kernel-type.ts';
export { authorityChange } from './kubeconfig-authority.ts';
export { emptyNodeConfig, readNodeConfig } from './node-config.ts';
export {
  BOOTSTRAP_KUBECONFIG,
  CLOUD_CA,
  DEFAULT_MODE,
  dropinPath,
  INTERNAL_PULL_SECRET,
  KUBELET_CA,
  KUBELET_KUBECONFIG,
  MASK_TARGET,
  newPaths,
  pathsOf,
  REGISTRY_CERTIFICATES,
  USER_CA,
  unitPath,
  unitPaths,
} from './node-paths.ts';
export { type OsOperation, osChanges, osUpdateText } from './os-changes.ts';
export { type MachineOs, refusedImage } from './os-support.ts';
export { passwordChanges } from './passwords.ts';
export type { ConfigChange, ConfigName, NodeConfig, Plan, PostAction, Step } from './plan-types.ts';
export { type PlanInput, planUpdate, rollbackPlan, startText } from './plan-update.ts';
export { unreadableError } from './reconcile-check.ts';
export { runtimeFindings, withRuntimeFiles } from './runtime-files.ts';
export { NO_CORE_USER, type SshKeysFile, sshKeysFile } from './ssh-keys.ts';
export { staleData } from './stale-data.ts';
export { isRegistryPath, planSync, registryCaPath, type SyncedFile, syncedFiles } from './synced-files.ts';
