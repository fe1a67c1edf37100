/**
 * KubeletConfig and ContainerRuntimeConfig → the MachineConfigs of the pools they select.
 *
 *     KubeletConfig           ──> kubeletSettings           ──┐
 *     ContainerRuntimeConfig  ──> containerRuntimeSettings  ──┴──> decideSettings ──> MachineConfigs, or why not
 *
 * The result depends only on the object, the other objects of its kind and the base MachineConfigs of the role, so
 * previews show what the controllers write. Error messages are the texts of the conditions.
 *
 * Not here: registries (`config/registries`), and writing objects (`controllers`).
 *
 * Start with `decide-settings.ts`, then `kubelet-settings.ts` and `name-suffix.ts`.
 */
export { baseRole } from './base-file.ts';
export { containerRuntimeProblems } from './container-runtime-problems.ts';
export { containerRuntimeSettings } from './container-runtime-settings.ts';
export { decideSettings, type SettingsDecision, type SettingsWarning } from './decide-settings.ts';
export { type GeneratingObject, selectedPools } from './generating-object.ts';
export { kubeletConfigProblems } from './kubelet-problems.ts';
export { kubeletSettings } from './kubelet-settings.ts';
export { type GeneratedKind, isConfigName, suffixText } from './name-suffix.ts';
export { memoisedRoleBase, type RoleBase } from './role-base.ts';
export type { SettingsKind } from './settings-kind.ts';
export {
  containerRuntimeConfigStatus,
  kubeletConfigStatus,
  type SettingsStatus,
  type Verdict,
} from './settings-status.ts';
