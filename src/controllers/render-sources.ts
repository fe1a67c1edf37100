/**
 * Everything that a rendering depends on, and which pools a change of it concerns: the one place that decides whether a
 * pool has to be rendered again.
 *
 * KubeletConfigs, ContainerRuntimeConfigs and the objects about registries are rendered by way of generated
 * MachineConfigs. They count from their own change: their MachineConfigs follow (`PendingGeneration`).
 */
import {
  type ControllerConfig,
  containerRuntimeConfig as containerRuntimeConfigKind,
  controllerConfig as controllerConfigKind,
  kubeletConfig as kubeletConfigKind,
  type MachineConfig,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
  OS_IMAGE_CONFIG_MAP,
  type OSImageStream,
  osImageStream as osImageStreamKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { type GeneratingObject, selectedPools } from '../config/settings/index.ts';
import {
  type AnyObject,
  type Cache,
  type CachedResource,
  type Caches,
  type Change,
  cachedResource,
} from '../kubernetes/client/index.ts';
import { type ConfigMap, configMap as configMapKind } from '../kubernetes/types/index.ts';
import { owningPools, selectingPools } from './config-pools.ts';
import { registryInputs } from './registry-inputs.ts';

export type RenderSources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly streams: Cache<OSImageStream>;
  readonly configurations: Cache<MachineConfiguration>;
  readonly configMaps: Cache<ConfigMap>;
  /** KubeletConfigs and ContainerRuntimeConfigs. */
  readonly settings: readonly Cache<GeneratingObject>[];
  readonly registries: readonly Cache<AnyObject>[];
  /**
   * Those that a rendering reads from caches, or by way of generated MachineConfigs. Pools, MachineConfigs and the
   * ControllerConfig are read from the server.
   */
  readonly confirmed: readonly CachedResource[];
};

export function renderSources(caches: Caches, namespace: string): RenderSources {
  const streams = cachedResource(caches, osImageStreamKind);
  const configurations = cachedResource(caches, machineConfigurationKind);
  const configMaps = cachedResource(caches, configMapKind, {
    namespace,
    fieldSelector: `metadata.name=${OS_IMAGE_CONFIG_MAP}`,
  });
  const kubeletConfigs = cachedResource(caches, kubeletConfigKind);
  const containerRuntimeConfigs = cachedResource(caches, containerRuntimeConfigKind);
  const registries: readonly CachedResource[] = Object.values(registryInputs(caches));
  return {
    pools: caches.of(machineConfigPoolKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    streams: streams.cache,
    configurations: configurations.cache,
    configMaps: configMaps.cache,
    settings: [kubeletConfigs.cache, containerRuntimeConfigs.cache],
    registries: registries.map(({ cache }) => cache),
    confirmed: [streams, configurations, configMaps, kubeletConfigs, containerRuntimeConfigs, ...registries],
  };
}

/** All of them have to be filled before the first rendering. */
export function cachesOf({
  settings,
  registries,
  confirmed: _,
  ...others
}: RenderSources): readonly Cache<AnyObject>[] {
  return [...Object.values(others), ...settings, ...registries];
}

type ChangeHandlers = {
  /** The pool has to be rendered again. */
  readonly onSourceChange: (pool: string) => void;
  /** Nothing that is rendered has changed, but nodes of the pool may be sent that could not be sent before. */
  readonly onReleased: (pool: string) => void;
  /** Whether this target of the pool is our own. */
  readonly isOwnTarget: (pool: MachineConfigPool) => boolean;
};

export function watchRenderSources(sources: RenderSources, handlers: ChangeHandlers): void {
  const { pools, machineConfigs, controllerConfigs, streams, configurations, configMaps } = sources;
  const { onSourceChange } = handlers;
  const onSharedChange = () => {
    for (const { metadata } of pools.all()) onSourceChange(metadata.name);
  };
  const onSharedSpec = <T extends AnyObject & { readonly spec?: unknown }>({ before, after }: Change<T>) => {
    if (!jsonEqual(before?.spec, after?.spec)) onSharedChange();
  };
  pools.onChange((change) => onPool(sources, handlers, change));
  machineConfigs.onChange((change) => {
    for (const name of new Set([...selectingPools(change, pools), ...owningPools(change)]))
      onSourceChange(name);
  });
  controllerConfigs.onChange(onSharedChange);
  streams.onChange(onSharedChange);
  configurations.onChange(onSharedSpec);
  configMaps.onChange(onSharedChange);
  for (const cache of sources.registries) cache.onChange(onSharedSpec);
  for (const cache of sources.settings) {
    cache.onChange((change) => {
      for (const name of configuredPools(change, pools)) onSourceChange(name);
    });
  }
}

function onPool(
  { pools }: RenderSources,
  { onSourceChange, onReleased, isOwnTarget }: ChangeHandlers,
  { before, after }: Change<MachineConfigPool>,
): void {
  if (after === undefined) return;
  const { name } = after.metadata;
  const isMoved = !jsonEqual(before?.spec.configuration, after.spec.configuration) && !isOwnTarget(after);
  // Changes that are not rendered must not open a window: it would end too early for the next change.
  if (!isMoved && before !== undefined && jsonEqual(renderedFrom(before), renderedFrom(after))) {
    if (isReleased(before, after)) onReleased(name);
    return;
  }
  onSourceChange(name);
  // Custom pools inherit the stream of the worker pool.
  if (name === 'worker') for (const { metadata } of pools.all()) onSourceChange(metadata.name);
}

/** The fields of a pool that are rendered: neither its target, which is the result, nor those that pace its nodes. */
function renderedFrom({ spec }: MachineConfigPool) {
  const { configuration, paused, maxUnavailable, ...sources } = spec;
  return sources;
}

function isReleased({ spec: before }: MachineConfigPool, { spec: after }: MachineConfigPool): boolean {
  const isSame = before.paused === after.paused && jsonEqual(before.maxUnavailable, after.maxUnavailable);
  return !isSame && after.paused !== true;
}

/** The pools whose settings have changed: those that the object selects, before or after. */
function configuredPools(
  { before, after }: Change<GeneratingObject>,
  pools: Cache<MachineConfigPool>,
): ReadonlySet<string> {
  const inputsOf = (one: GeneratingObject | undefined) => one && [one.spec, one.metadata.deletionTimestamp];
  if (jsonEqual(inputsOf(before), inputsOf(after))) return new Set();
  const selected = [before, after].flatMap((one) =>
    one === undefined ? [] : selectedPools(one, pools.all()),
  );
  return new Set(selected.map(({ metadata }) => metadata.name));
}
