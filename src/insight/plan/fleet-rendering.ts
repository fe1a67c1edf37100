/**
 * Every pool of a snapshot, rendered as the controllers would once they have acted on all of its objects.
 */
import {
  builtInPool,
  CONTROLLER_CONFIG_NAME,
  clusterImagePolicy,
  containerRuntimeConfig,
  controllerConfig as controllerConfigKind,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  image as imageKind,
  imagePolicy,
  imageTagMirrorSet,
  kubeletConfig,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
  OS_IMAGE_CONFIG_MAP,
  osImageStream as osImageStreamKind,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import {
  type GenerationRefusal,
  type GenerationWarning,
  generateSources,
  generationOf,
} from '../../config/generate/index.ts';
import { CONTAINERD, containerRuntimeOf } from '../../config/registries/index.ts';
import {
  baseConfigs,
  isRendered,
  type Rendering,
  renderPool,
  type TemplateTree,
} from '../../config/render/index.ts';
import { configMap as configMapKind, node as nodeKind } from '../../kubernetes/types/index.ts';
import { membershipOf } from '../../rollout/index.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';

export type RenderingOptions = {
  /** Of the components. */
  readonly namespace: string;
  readonly templates: TemplateTree;
  /** Of Millwright: on what is generated, where the cluster has nothing generated yet. */
  readonly version: string;
  /** Adds the base configs and the built-in pools, for manifests without them. */
  readonly withBase?: boolean;
};

export type FleetRendering = {
  /** By name. */
  readonly pools: readonly RenderedPool[];
  readonly refusals: readonly GenerationRefusal[];
  readonly warnings: readonly GenerationWarning[];
};

export type RenderedPool = { readonly pool: MachineConfigPool; readonly rendering: Rendering };

const CLUSTER = { name: 'cluster' } as const;

export function fleetRendering(snapshot: ClusterSnapshot, options: RenderingOptions): FleetRendering {
  const { pools, machineConfigs } = declaredConfigs(snapshot, options);
  const controllerConfig = snapshot.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
  const generation = generationOf(machineConfigs, { ...options, controllerConfig });
  const image = snapshot.get(imageKind, CLUSTER);
  const payload = controllerConfig?.spec.releaseImage ?? '';
  const generated = generateSources({
    pools,
    machineConfigs,
    kubeletConfigs: snapshot.all(kubeletConfig),
    containerRuntimeConfigs: snapshot.all(containerRuntimeConfig),
    registries: {
      digestMirrorSets: snapshot.all(imageDigestMirrorSet),
      tagMirrorSets: snapshot.all(imageTagMirrorSet),
      contentSourcePolicies: snapshot.all(imageContentSourcePolicy),
      clusterImagePolicies: snapshot.all(clusterImagePolicy),
      imagePolicies: snapshot.all(imagePolicy),
      ...(image === undefined ? {} : { image }),
      ...(payload === '' ? {} : { payload }),
    },
    ...generation,
    hasContainerd: (selected) => hasContainerd(snapshot, pools, selected),
  });
  const shared = {
    ...settingsOf(snapshot, options),
    ...{ pools, machineConfigs: generated.machineConfigs },
    // Manifests without a ControllerConfig are no cluster: their images are declared by the files.
    base: controllerConfig === undefined ? 'coreos' : generation.base,
  } as const;
  return {
    pools: pools.map((pool) => {
      const current = snapshot.get(machineConfigKind, { name: pool.spec.configuration?.name ?? '' });
      return {
        pool,
        rendering: renderPool(pool, { ...shared, ...(current === undefined ? {} : { current }) }),
      };
    }),
    refusals: generated.refusals,
    warnings: generated.warnings,
  };
}

type DeclaredConfigs = {
  /** By name. */
  readonly pools: readonly MachineConfigPool[];
  readonly machineConfigs: readonly MachineConfig[];
};

function declaredConfigs(
  snapshot: ClusterSnapshot,
  { templates, version, withBase = false }: RenderingOptions,
): DeclaredConfigs {
  const pools = snapshot.all(machineConfigPoolKind);
  const machineConfigs = snapshot.all(machineConfigKind).filter(({ metadata }) => !isRendered(metadata));
  if (!withBase) return { pools, machineConfigs };
  const controllerConfig = snapshot.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
  const roles = ['master', 'worker'] as const;
  const outcome = baseConfigs(templates, {
    roles,
    controllerVersion: version,
    ...(controllerConfig === undefined ? {} : { controllerConfig: controllerConfig.spec }),
  });
  const generated = outcome.kind === 'ok' ? outcome.value : [];
  const given = new Set(machineConfigs.map(({ metadata }) => metadata.name));
  const present = new Set(pools.map(({ metadata }) => metadata.name));
  return {
    pools: [...pools, ...roles.filter((role) => !present.has(role)).map(builtInPool)].toSorted((a, b) =>
      compareBytes(a.metadata.name, b.metadata.name),
    ),
    machineConfigs: [...machineConfigs, ...generated.filter(({ metadata }) => !given.has(metadata.name))],
  };
}

/** Whether a node of these pools runs containerd; any node where none are given. */
function hasContainerd(
  snapshot: ClusterSnapshot,
  pools: readonly MachineConfigPool[],
  selected: readonly MachineConfigPool[] | undefined,
): boolean {
  const names = selected && new Set(selected.map(({ metadata }) => metadata.name));
  return snapshot.all(nodeKind).some((node) => {
    if (containerRuntimeOf(node) !== CONTAINERD) return false;
    const membership = membershipOf(node, pools);
    const its = membership.kind === 'member' ? [membership.primary, ...membership.also] : [];
    return names === undefined || its.some(({ metadata }) => names.has(metadata.name));
  });
}

function settingsOf(snapshot: ClusterSnapshot, { namespace }: RenderingOptions) {
  const controllerConfig = snapshot.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
  const osImageConfigMap = snapshot.get(configMapKind, { name: OS_IMAGE_CONFIG_MAP, namespace });
  const osImageStream = snapshot.get(osImageStreamKind, CLUSTER);
  const machineConfiguration = snapshot.get(machineConfigurationKind, CLUSTER);
  return {
    ...(controllerConfig === undefined ? {} : { controllerConfig }),
    ...(osImageConfigMap === undefined ? {} : { osImageConfigMap }),
    ...(osImageStream === undefined ? {} : { osImageStream }),
    ...(machineConfiguration === undefined ? {} : { machineConfiguration }),
  };
}
