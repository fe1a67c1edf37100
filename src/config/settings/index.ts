/**
 * KubeletConfig and ContainerRuntimeConfig → the MachineConfigs of the pools they select.
 *
 *     KubeletConfig           ──> kubeletFiles           ──┐   (without base configs: kubeletDropIn)
 *     ContainerRuntimeConfig  ──> containerRuntimeFiles  ──┴──> generatedConfig, named by `configName`
 *
 * The result depends only on the object, the other objects of its kind and the base MachineConfigs of the role, so
 * previews show what the controllers write. Error messages are the texts of the conditions.
 *
 * Not here: registries (`config/registries`), and writing objects (`controllers`).
 *
 * Start with `kubelet-files.ts`, then `name-suffix.ts`.
 */
export { baseFile, baseRole } from './base-file.ts';
export { containerRuntimeFiles, DEFAULT_STORAGE_CONF, STORAGE_CONF } from './container-runtime-files.ts';
export { containerRuntimeProblems } from './container-runtime-problems.ts';
export { type GeneratedFile, generatedConfig } from './generated-config.ts';
export { type GeneratingObject, selectedPools } from './generating-object.ts';
export { kubeletDropIn } from './kubelet-drop-in.ts';
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
export {
  overriddenKubeletConfig,
  overriddenKubeletFields,
  overriddenRuntimeSettings,
  settingsOfCrio,
} from './overridden-settings.ts';
export {
  containerRuntimeConfigStatus,
  kubeletConfigStatus,
  type SettingsStatus,
  type Verdict,
} from './settings-status.ts';
