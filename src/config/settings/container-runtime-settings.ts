/**
 * ContainerRuntimeConfig: settings of CRI-O for the nodes of some pools, as MachineConfigs
 * `99-<pool>-generated-containerruntime`.
 *
 * Each setting has its own file, so several objects are merged; where two set the same one, the later object takes effect
 * and the other gets a warning.
 */
import {
  type ContainerRuntimeConfig,
  containerRuntimeConfig as containerRuntimeConfigKind,
} from '../../api/index.ts';
import { baseFile } from './base-file.ts';
import { containerRuntimeFiles, DEFAULT_STORAGE_CONF, STORAGE_CONF } from './container-runtime-files.ts';
import { containerRuntimeProblems } from './container-runtime-problems.ts';
import { recordedSuffix } from './name-suffix.ts';
import { overriddenRuntimeSettings, settingsOfCrio } from './overridden-settings.ts';
import type { SettingsKind } from './settings-kind.ts';

export const containerRuntimeSettings: SettingsKind<ContainerRuntimeConfig> = {
  resource: containerRuntimeConfigKind,
  generatedKind: 'containerruntime',
  problems: ({ spec }) => containerRuntimeProblems(spec.containerRuntimeConfig),
  files: ({ object, suffix, base, rivals }) =>
    containerRuntimeFiles({
      settings: object.spec.containerRuntimeConfig,
      earlier: earlierOnes(rivals, suffix).map(({ spec }) => spec.containerRuntimeConfig),
      storageConf: baseFile(base, STORAGE_CONF) ?? DEFAULT_STORAGE_CONF,
    }),
  noPool: (name) => `could not find any MachineConfigPool set for ContainerRuntimeConfig ${name}`,
  tooMany:
    'could not get ctrcfg key: max number of supported ctrcfgs (10) has been reached. Please delete old ctrcfgs before retrying',
  withoutEffectOnContainerd: ({ spec }) => settingsOfCrio(spec.containerRuntimeConfig),
  overshadowed: ({ spec }, rivals) =>
    overriddenRuntimeSettings(
      rivals
        .filter(({ isLater }) => isLater)
        .map(({ pool, object }) => ({
          ...{ pool, winner: object.metadata.name, own: spec.containerRuntimeConfig },
          others: object.spec.containerRuntimeConfig,
        })),
    ),
};

/** By name suffix; an object without one has no MachineConfig yet. */
function earlierOnes(
  rivals: readonly ContainerRuntimeConfig[],
  suffix: number,
): readonly ContainerRuntimeConfig[] {
  return rivals
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((object) => ({ object, number: recordedSuffix(object.metadata) ?? suffix }))
    .filter(({ number }) => number < suffix)
    .sort((a, b) => a.number - b.number)
    .map(({ object }) => object);
}
