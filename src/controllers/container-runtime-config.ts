/**
 * ContainerRuntimeConfig: settings of CRI-O for the nodes of some pools, as MachineConfigs
 * `99-<pool>-generated-containerruntime`.
 *
 * Each setting has a file of its own, so several objects add up; where two set the same, the later one wins and the other is
 * told so.
 */
import {
  type ContainerRuntimeConfig,
  containerRuntimeConfig as containerRuntimeConfigKind,
} from '../api/index.ts';
import {
  baseFile,
  containerRuntimeConfigStatus,
  containerRuntimeFiles,
  containerRuntimeProblems,
  overriddenRuntimeSettings,
  recordedSuffix,
  STORAGE_CONF,
} from '../config/settings/index.ts';
import type { Controller } from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import { createGeneratingController, type Generating } from './generating.ts';
import type { RoleBase } from './role-base.ts';

export function createContainerRuntimeConfigController(context: Context, baseOf: RoleBase): Controller {
  return createGeneratingController(context, CONTAINER_RUNTIME, baseOf);
}

const CONTAINER_RUNTIME: Generating<ContainerRuntimeConfig> = {
  name: 'container-runtime-config',
  component: 'machineconfigcontroller-containerruntimeconfigcontroller',
  resource: containerRuntimeConfigKind,
  generatedKind: 'containerruntime',
  problems: ({ spec }) => containerRuntimeProblems(spec.containerRuntimeConfig),
  files: ({ object, suffix, base, rivals }) =>
    containerRuntimeFiles({
      settings: object.spec.containerRuntimeConfig,
      earlier: earlierOnes(rivals, suffix).map(({ spec }) => spec.containerRuntimeConfig),
      storageConf: baseFile(base, STORAGE_CONF) ?? '',
    }),
  statusOf: containerRuntimeConfigStatus,
  noPool: (name) => `could not find any MachineConfigPool set for ContainerRuntimeConfig ${name}`,
  tooMany:
    'could not get ctrcfg key: max number of supported ctrcfgs (10) has been reached. Please delete old ctrcfgs before retrying',
  overshadowed: ({ spec }, rivals) =>
    overriddenRuntimeSettings(
      rivals.map(({ pool, object }) => ({
        ...{ pool, winner: object.metadata.name, own: spec.containerRuntimeConfig },
        others: object.spec.containerRuntimeConfig,
      })),
    ),
};

/** By their numbers; one that has none yet has no MachineConfig either. */
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
