/**
 * Render: a pool's MachineConfigs become one rendered MachineConfig, which the pool then targets.
 *
 *     pool, its MachineConfigs, images ──> render() ──> MachineConfig rendered-… ──> pool.spec.configuration
 *                                                 └──> annotation render-problem, from which the pool's status is computed
 *
 * The first change opens a window in which further changes are collected, so that several applies make one rendering; a
 * pool without a configuration is rendered at once. From the change until the rendering is published the pool is pending
 * (`PendingRenders`). A paused pool is rendered too: pausing stops its nodes only.
 */
import {
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  labels,
  type MachineConfig,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
  NAMESPACE,
  type OSImageStream,
  osImageStream as osImageStreamKind,
} from '../api/index.ts';
import { Failure } from '../base/errors.ts';
import { jsonEqual } from '../base/json.ts';
import {
  isRendered,
  type Rendering,
  refusedRendering,
  render,
  settingsFor,
  versionProblem,
} from '../config/render/index.ts';
import {
  after,
  type Cache,
  type Caches,
  type Controller,
  done,
  type Next,
  OwnWrites,
} from '../kubernetes/client/index.ts';
import {
  formatSelector,
  isEmptySelector,
  matchesSelector,
  selectorProblems,
} from '../kubernetes/meta/index.ts';
import { type ConfigMap, configMap as configMapKind } from '../kubernetes/types/index.ts';
import { owningPools, selectingPools } from './config-pools.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME, isCompleted, isFailing } from './controller-config-status.ts';
import { PendingRenders } from './pending-renders.ts';
import { type SettingsCaches, settingsCaches, waitsForSettings } from './pending-settings.ts';
import { configSubject, isPublished, publish, RENDER_COMPONENT } from './publish-rendering.ts';
import { OS_IMAGE_CONFIG_MAP, releaseProblem } from './release-guard.ts';

const CLUSTER = 'cluster';
/** Before the name of a MachineConfig in a key; the name of a pool has no slash. */
const CONFIG_PREFIX = 'config/';
const SOURCES_RETRY_MS = 1_000;
const SETTINGS_RETRY_MS = 500;

export function createRenderController(
  context: Context,
  { pools: ownPools, renders }: RenderState,
): Controller {
  const { caches, settings } = context;
  const pools = caches.of(machineConfigPoolKind);
  const machineConfigs = caches.of(machineConfigKind);
  const controllerConfigs = caches.of(controllerConfigKind);
  const streams = caches.of(osImageStreamKind);
  const configurations = caches.of(machineConfigurationKind);
  const configMaps = caches.of(configMapKind, {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${OS_IMAGE_CONFIG_MAP}`,
  });
  const sources: RenderSources = {
    pools,
    machineConfigs,
    controllerConfigs,
    streams,
    configurations,
    configMaps,
    ...settingsCaches(caches),
  };
  const state: State = { ownPools, renders, lastTargets: new Map() };
  return {
    name: 'render',
    workers: 2,
    caches: Object.values(sources),
    watch(enqueue) {
      watchSources(sources, state, (pool) => {
        renders.open(pool);
        enqueue(pool, windowMs(sources, pool, settings.renderWindowMs));
      });
      machineConfigs.onChange(({ before, after: next }) => {
        if (next === undefined || isRendered(next.metadata)) return;
        if (before !== undefined && jsonEqual(before.metadata.labels, next.metadata.labels)) return;
        // A pool that selects it may be created together with it.
        enqueue(`${CONFIG_PREFIX}${next.metadata.name}`, settings.renderWindowMs);
      });
    },
    reconcile: async (key) =>
      key.startsWith(CONFIG_PREFIX)
        ? reportUnused(context, sources, key.slice(CONFIG_PREFIX.length))
        : renderPool(context, { sources, state, name: key }),
  };
}

/** Shared with the node controller, which must not send nodes to an outdated target. */
type RenderState = {
  readonly pools: OwnWrites<MachineConfigPool>;
  readonly renders: PendingRenders;
};

export function createRenderState(caches: Caches): RenderState {
  const cache = caches.of(machineConfigPoolKind);
  const pools = new OwnWrites(cache);
  return { pools, renders: new PendingRenders(cache, pools) };
}

type State = {
  readonly ownPools: OwnWrites<MachineConfigPool>;
  readonly renders: PendingRenders;
  /** By pool: the target that we wrote last. When it arrives in the cache it is not a change by someone else. */
  readonly lastTargets: Map<string, string>;
};

type RenderSources = SettingsCaches & {
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly streams: Cache<OSImageStream>;
  readonly configurations: Cache<MachineConfiguration>;
  readonly configMaps: Cache<ConfigMap>;
};

/** A pool without a configuration blocks its nodes, so it is rendered at once. */
function windowMs({ pools }: RenderSources, name: string, configuredMs: number): number {
  const isNew = (pools.get({ name })?.spec.configuration?.name ?? '') === '';
  return isNew ? 0 : configuredMs;
}

function watchSources(
  sources: RenderSources,
  { lastTargets }: State,
  onSourceChange: (pool: string) => void,
): void {
  const { pools, machineConfigs, controllerConfigs, streams, configurations, configMaps } = sources;
  const onSharedChange = () => {
    for (const { metadata } of pools.all()) onSourceChange(metadata.name);
  };
  pools.onChange(({ before, after }) => {
    if (after === undefined) return;
    const target = after.spec.configuration?.name;
    const isMoved =
      target !== before?.spec.configuration?.name && target !== lastTargets.get(after.metadata.name);
    // Changes that are not rendered must not open a window: it would end too early for the next change.
    if (!isMoved && before !== undefined && jsonEqual(renderedFrom(before), renderedFrom(after))) return;
    onSourceChange(after.metadata.name);
    // Custom pools inherit the stream of the worker pool.
    if (after.metadata.name === 'worker') onSharedChange();
  });
  machineConfigs.onChange((change) => {
    for (const name of new Set([...selectingPools(change, pools), ...owningPools(change)]))
      onSourceChange(name);
  });
  controllerConfigs.onChange(onSharedChange);
  streams.onChange(onSharedChange);
  configurations.onChange(({ before, after }) => {
    if (!jsonEqual(before?.spec, after?.spec)) onSharedChange();
  });
  configMaps.onChange(onSharedChange);
}

/** The fields of a pool that are rendered: neither its target, which is the result, nor those that pace its nodes. */
function renderedFrom({ spec }: MachineConfigPool) {
  const { configuration, paused, maxUnavailable, ...sources } = spec;
  return sources;
}

type RenderPass = { readonly sources: RenderSources; readonly state: State; readonly name: string };

async function renderPool(context: Context, pass: RenderPass): Promise<Next> {
  const { state, name } = pass;
  const changes = state.renders.begin(name);
  try {
    const outcome = await renderAndPublish(context, pass);
    if (outcome === 'settled') state.renders.settle(name, changes);
    return outcome === 'settled' || outcome === 'blocked' ? done : outcome;
  } catch (error) {
    // No new target will come of these changes: nodes need not wait for it.
    if (error instanceof Failure && error.kind === 'stalled') state.renders.settle(name, changes);
    throw error;
  }
}

/** `blocked`: the rendering waits for a change that enqueues the pool again. */
async function renderAndPublish(
  context: Context,
  { sources, state, name }: RenderPass,
): Promise<'settled' | 'blocked' | Next> {
  const pool = sources.pools.get({ name });
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return 'settled';
  const controllerConfig = sources.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  // The base configs come first. Once they are complete, the status of the ControllerConfig changes.
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) {
    return controllerConfig !== undefined && isFailing(controllerConfig) ? 'settled' : 'blocked';
  }
  if (waitsForSettings(sources, pool, context.env.clock.now()))
    return after(SETTINGS_RETRY_MS, 'settings are not generated yet');
  const machineConfigs = [...sources.machineConfigs.all()].filter(({ metadata }) => !isRendered(metadata));
  const rendering = renderingOf(context, sources, { pool, controllerConfig, machineConfigs });
  if (isPublished(sources, pool, rendering)) return 'settled';
  const live = await readLive(context, pool);
  if (live === undefined) return after(SOURCES_RETRY_MS, 'the base configs are being written');
  const current = renderingOf(context, sources, { pool, ...live });
  if (current.kind === 'rendered') state.lastTargets.set(name, current.machineConfig.metadata.name);
  const written = await publish(context, sources, { pool, rendering: current });
  if (written !== undefined) state.ownPools.record(written);
  return 'settled';
}

type LiveSources = {
  readonly controllerConfig: ControllerConfig;
  readonly machineConfigs: readonly MachineConfig[];
};

/**
 * A rendering that is published is computed from what the server has now. Each cache lags by itself: one may show that
 * the base configs are complete while the other does not have all of them, and nodes would be updated twice.
 *
 * Undefined while the base configs are being written.
 */
async function readLive({ kube }: Context, pool: MachineConfigPool): Promise<LiveSources | undefined> {
  const read = () => kube.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
  const selector = pool.spec.machineConfigSelector;
  const controllerConfig = await read();
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) return undefined;
  // An invalid selector selects nothing, and the server would refuse it.
  const isUsable = !isEmptySelector(selector) && selectorProblems(selector, '').length === 0;
  const { items } = isUsable
    ? await kube.list(machineConfigKind, { labelSelector: formatSelector(selector) })
    : { items: [] };
  const isSame = (await read())?.metadata.generation === controllerConfig.metadata.generation;
  return isSame ? { controllerConfig, machineConfigs: items } : undefined;
}

type RenderInput = { readonly pool: MachineConfigPool } & LiveSources;

function renderingOf(
  { release }: Context,
  sources: RenderSources,
  { pool, controllerConfig, machineConfigs }: RenderInput,
): Rendering {
  const osImageConfigMap = sources.configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace: NAMESPACE });
  const osImageStream = sources.streams.get({ name: CLUSTER });
  const machineConfiguration = sources.configurations.get({ name: CLUSTER });
  const current = sources.machineConfigs.get({ name: pool.spec.configuration?.name ?? '' });
  const outdated = versionProblem({ controllerConfig, ...(osImageStream && { osImageStream }) }, release);
  if (outdated !== undefined) return refusedRendering([{ path: '', message: outdated }]);
  const foreign = releaseProblem(osImageConfigMap, release);
  if (foreign !== undefined && current === undefined) {
    return { kind: 'refused', message: foreign, problems: [{ path: '', message: foreign }] };
  }
  const settings = settingsFor(pool, {
    controllerConfig,
    // Images of another release must not reach nodes, and nodes keep the images they have.
    ...(foreign === undefined
      ? osImageConfigMap && { osImageConfigMap }
      : { osImageConfigMap: imagesOf(current) }),
    ...(osImageStream === undefined ? {} : { osImageStream }),
    ...(machineConfiguration === undefined ? {} : { machineConfiguration }),
    pools: [...sources.pools.all()],
  });
  if (settings.kind === 'invalid') {
    return { kind: 'refused', message: settings.problems[0]?.message ?? '', problems: settings.problems };
  }
  return render({
    pool,
    machineConfigs,
    settings: { ...settings.value, controllerVersion: release.controllerVersion },
    ...(current === undefined ? {} : { current }),
  });
}

/** A ConfigMap with the images that the pool has. */
function imagesOf(current: MachineConfig | undefined) {
  const { osImageURL = '', baseOSExtensionsContainerImage = '' } = current?.spec ?? {};
  return { data: { osImageURL, baseOSExtensionsContainerImage } };
}

/** A MachineConfig that no pool selects has no effect, which is only visible by this event. */
function reportUnused(context: Context, sources: RenderSources, name: string): Next {
  const machineConfig = sources.machineConfigs.get({ name });
  if (machineConfig === undefined || isRendered(machineConfig.metadata)) return done;
  const { labels: given } = machineConfig.metadata;
  for (const { spec } of sources.pools.all())
    if (matchesSelector(spec.machineConfigSelector, given)) return done;
  const role = given?.[labels.role];
  const why = role === undefined ? `it has no label ${labels.role}` : `its role is ${role}`;
  const text = `No pool selects this MachineConfig (${why}), so it reaches no node: label it with the role of a pool, such as ${labels.role}=worker, or create a pool that selects it`;
  context.eventsOf(RENDER_COMPONENT).warning(configSubject(name), 'NotSelected', text);
  return done;
}
