/**
 * Settings as MachineConfigs: what KubeletConfig and ContainerRuntimeConfig mean for the nodes of the pools they select.
 *
 *     KubeletConfig           ──> kubeletFiles           ──┐
 *     ContainerRuntimeConfig  ──> containerRuntimeFiles  ──┴──> generatedConfig, by the name that `configName` gives
 *
 * The result is wholly given by the object, the others of its kind and the base of the role: whoever calls gets what the
 * controllers write. What is wrong with an object is told in the words that its conditions carry.
 *
 * Not here: registries, which are `registries`', and writing anything (`controllers`).
 *
 * Start with `kubelet-files.ts`, then `name-suffix.ts`.
 */
export { baseFile, baseRole } from './base-file.ts';
export { containerRuntimeFiles, STORAGE_CONF } from './container-runtime-files.ts';
export { containerRuntimeProblems } from './container-runtime-problems.ts';
export { type GeneratedFile, generatedConfig } from './generated-config.ts';
export { type GeneratingObject, isSynced, selectedPools } from './generating-object.ts';
export { KUBELET_CONF, kubeletFiles } from './kubelet-files.ts';
export { kubeletConfigProblems, staticPodProblem } from './kubelet-problems.ts';
export {
  configName,
  type GeneratedKind,
  isConfigName,
  nameSuffix,
  recordedSuffix,
  suffixText,
} from './name-suffix.ts';
export { overriddenKubeletConfig, overriddenRuntimeSettings } from './overridden-settings.ts';
export {
  containerRuntimeConfigStatus,
  kubeletConfigStatus,
  type SettingsStatus,
  type Verdict,
} from './settings-status.ts';
