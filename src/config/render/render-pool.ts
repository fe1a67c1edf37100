/**
 * Renders a pool of a cluster: `render` with the settings of the cluster, unless its objects are of another version.
 */
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/index.ts';
import type { Base } from './base-configs.ts';
import { releaseProblem } from './release-guard.ts';
import { refusedRendering, render } from './render.ts';
import type { Rendering } from './rendering.ts';
import { type SettingsObjects, settingsFor } from './settings.ts';
import { type RenderingVersion, versionProblem } from './version-gates.ts';

/** What a rendering of any pool of the cluster depends on. */
type RenderingCluster = Omit<SettingsObjects, 'onlyDeclaredImages'> & {
  /** At least those that the pool selects. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly base: Base;
  /** The version that renders; absent offline, where any version's objects may be rendered. */
  readonly release?: RenderingVersion & { readonly releaseVersion: string };
  /** The MachineConfig that the pool targets. */
  readonly current?: MachineConfig;
};

export function renderPool(pool: MachineConfigPool, cluster: RenderingCluster): Rendering {
  const { controllerConfig, osImageConfigMap, osImageStream, current, base, release } = cluster;
  const outdated =
    controllerConfig === undefined || release === undefined
      ? undefined
      : versionProblem({ controllerConfig, ...(osImageStream && { osImageStream }) }, release);
  if (outdated !== undefined) return refusedRendering([{ path: '', message: outdated }]);
  const onlyDeclaredImages = base === 'none';
  const foreign =
    onlyDeclaredImages || release === undefined ? undefined : releaseProblem(osImageConfigMap, release);
  if (foreign !== undefined && current === undefined) {
    return { kind: 'refused', message: foreign, problems: [{ path: '', message: foreign }] };
  }
  const settings = settingsFor(pool, {
    ...cluster,
    ...(controllerConfig === undefined ? {} : { controllerConfig: withoutImages(controllerConfig) }),
    // Images of another release must not reach nodes, and nodes keep the images they have.
    ...(foreign === undefined ? {} : { osImageConfigMap: imagesOf(current) }),
    onlyDeclaredImages,
  });
  if (settings.kind === 'invalid') {
    return { kind: 'refused', message: settings.problems[0]?.message ?? '', problems: settings.problems };
  }
  return render({
    pool,
    machineConfigs: cluster.machineConfigs,
    settings: {
      ...settings.value,
      ...(release === undefined ? {} : { controllerVersion: release.controllerVersion }),
    },
    mayBeEmpty: base === 'none',
    ...(current === undefined ? {} : { current }),
  });
}

/**
 * Its images are those of the ConfigMap, copied by the operator: another process, which may lag. With both, a change of
 * the ConfigMap would be rendered twice.
 */
function withoutImages(controllerConfig: ControllerConfig): ControllerConfig {
  const { baseOSExtensionsContainerImage: _, ...spec } = controllerConfig.spec;
  return { ...controllerConfig, spec: { ...spec, baseOSContainerImage: '' } };
}

/** A ConfigMap with the images that the pool has. */
function imagesOf(current: MachineConfig | undefined) {
  const { osImageURL = '', baseOSExtensionsContainerImage = '' } = current?.spec ?? {};
  return { data: { osImageURL, baseOSExtensionsContainerImage } };
}
