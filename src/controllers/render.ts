/**
 * Render: a pool's MachineConfigs become one rendered MachineConfig, which the pool then targets.
 *
 *     pool, its MachineConfigs, images ──> render() ──> MachineConfig rendered-… ──> pool.spec.configuration
 *                                                 └──> annotation render-problem, which the pool's status tells
 *
 * Changes are gathered for a window that the first of them opens, so that several applies make one rendering; a pool
 * that has no configuration yet is rendered at once. A paused pool is rendered too: pausing keeps nodes, not plans.
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
import { jsonEqual } from '../base/json.ts';
import { isRendered, type Rendering, render, settingsFor } from '../config/render/index.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type Enqueue,
  type Next,
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
import { CONTROLLER_CONFIG_NAME, isCompleted } from './controller-config-status.ts';
import { type SettingsCaches, settingsCaches, waitsForSettings } from './pending-settings.ts';
import { configSubject, isPublished, publish, RENDER_COMPONENT } from './publish-rendering.ts';
import { OS_IMAGE_CONFIG_MAP, releaseProblem } from './release-guard.ts';

const CLUSTER = 'cluster';
/** The key under which a MachineConfig is looked at by itself; no pool has a slash in its name. */
const CONFIG_PREFIX = 'config/';
const SOURCES_RETRY_MS = 1_000;
const SETTINGS_RETRY_MS = 500;

export function createRenderController(context: Context): Controller {
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
  const seen = {
    ...{ pools, machineConfigs, controllerConfigs, streams, configurations, configMaps },
    ...settingsCaches(caches),
  };
  /** By pool: the target that we gave it last. Its echo is no news. */
  const published = new Map<string, string>();
  return {
    name: 'render',
    workers: 2,
    caches: Object.values(seen),
    watch(enqueue) {
      watchSources(seen, published, soonOrNow(seen, enqueue, settings.renderWindowMs));
      machineConfigs.onChange(({ before, after: next }) => {
        if (next === undefined || isRendered(next.metadata)) return;
        if (before !== undefined && jsonEqual(before.metadata.labels, next.metadata.labels)) return;
        // A pool for it may come along in the same go.
        enqueue(`${CONFIG_PREFIX}${next.metadata.name}`, settings.renderWindowMs);
      });
    },
    reconcile: async (key) =>
      key.startsWith(CONFIG_PREFIX)
        ? tellOfUnused(context, seen, key.slice(CONFIG_PREFIX.length))
        : renderPool(context, { ...seen, published }, key),
  };
}

type Seen = SettingsCaches & {
  readonly pools: Cache<MachineConfigPool>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly streams: Cache<OSImageStream>;
  readonly configurations: Cache<MachineConfiguration>;
  readonly configMaps: Cache<ConfigMap>;
};

type Look = (pool: string) => void;

/** A pool without a configuration keeps its nodes waiting: it does not wait itself. */
function soonOrNow({ pools }: Seen, enqueue: Enqueue, windowMs: number): Look {
  return (name) => {
    const pool = pools.get({ name });
    const isNew = (pool?.spec.configuration?.name ?? '') === '';
    enqueue(name, isNew ? 0 : windowMs);
  };
}

function watchSources(seen: Seen, published: ReadonlyMap<string, string>, look: Look): void {
  const { pools, machineConfigs, controllerConfigs, streams, configurations, configMaps } = seen;
  const lookAtAll = () => {
    for (const { metadata } of pools.all()) look(metadata.name);
  };
  pools.onChange(({ before, after }) => {
    if (after === undefined) return;
    const target = after.spec.configuration?.name;
    const isMoved =
      target !== before?.spec.configuration?.name && target !== published.get(after.metadata.name);
    // A window that nothing has opened which is rendered would end too early for the changes to come.
    if (!isMoved && before !== undefined && jsonEqual(renderedFrom(before), renderedFrom(after))) return;
    look(after.metadata.name);
    // Custom pools take the stream of the worker pool.
    if (after.metadata.name === 'worker') lookAtAll();
  });
  machineConfigs.onChange((change) => {
    for (const name of new Set([...selectingPools(change, pools), ...owningPools(change)])) look(name);
  });
  controllerConfigs.onChange(lookAtAll);
  streams.onChange(lookAtAll);
  configurations.onChange(({ before, after }) => {
    if (!jsonEqual(before?.spec, after?.spec)) lookAtAll();
  });
  configMaps.onChange(lookAtAll);
}

/** What of a pool is part of its rendering: neither its target, which is the result, nor when its nodes may go there. */
function renderedFrom({ spec }: MachineConfigPool) {
  const { configuration, paused, maxUnavailable, ...sources } = spec;
  return sources;
}

type Published = { readonly published: Map<string, string> };

async function renderPool(context: Context, seen: Seen & Published, name: string): Promise<Next> {
  const pool = seen.pools.get({ name });
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return done;
  const controllerConfig = seen.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  // The base configs must be there first; when they are, the status of the ControllerConfig says so and wakes us.
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) return done;
  if (waitsForSettings(seen, pool, context.env.clock.now())) return after(SETTINGS_RETRY_MS, 'for settings');
  const machineConfigs = [...seen.machineConfigs.all()].filter(({ metadata }) => !isRendered(metadata));
  const rendering = renderingOf(context, seen, { pool, controllerConfig, machineConfigs });
  if (isPublished(seen, pool, rendering)) return done;
  const sources = await askForSources(context, pool);
  if (sources === undefined) return after(SOURCES_RETRY_MS, 'for the base configs');
  const current = renderingOf(context, seen, { pool, ...sources });
  if (current.kind === 'rendered') seen.published.set(name, current.machineConfig.metadata.name);
  await publish(context, seen, { pool, rendering: current });
  return done;
}

type Sources = {
  readonly controllerConfig: ControllerConfig;
  readonly machineConfigs: readonly MachineConfig[];
};

/**
 * What is written is made from what the server has now. Each cache lags by itself: one may say that the base configs are
 * complete while the other does not show them all, and nodes would be sent to half a configuration and then to the whole.
 *
 * Undefined while they are being written.
 */
async function askForSources({ kube }: Context, pool: MachineConfigPool): Promise<Sources | undefined> {
  const ask = () => kube.get(controllerConfigKind, { name: CONTROLLER_CONFIG_NAME });
  const selector = pool.spec.machineConfigSelector;
  const controllerConfig = await ask();
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) return undefined;
  // A selector that is wrong picks nothing, and the server would not even look at it.
  const isUsable = !isEmptySelector(selector) && selectorProblems(selector, '').length === 0;
  const { items } = isUsable
    ? await kube.list(machineConfigKind, { labelSelector: formatSelector(selector) })
    : { items: [] };
  const isSame = (await ask())?.metadata.generation === controllerConfig.metadata.generation;
  return isSame ? { controllerConfig, machineConfigs: items } : undefined;
}

type Rendered = { readonly pool: MachineConfigPool } & Sources;

function renderingOf(
  { release }: Context,
  seen: Seen,
  { pool, controllerConfig, machineConfigs }: Rendered,
): Rendering {
  const osImageConfigMap = seen.configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace: NAMESPACE });
  const osImageStream = seen.streams.get({ name: CLUSTER });
  const machineConfiguration = seen.configurations.get({ name: CLUSTER });
  const current = seen.machineConfigs.get({ name: pool.spec.configuration?.name ?? '' });
  const foreign = releaseProblem(osImageConfigMap, release);
  if (foreign !== undefined && current === undefined) {
    return { kind: 'refused', message: foreign, problems: [{ path: '', message: foreign }] };
  }
  const settings = settingsFor(pool, {
    controllerConfig,
    // Images of another release must not reach nodes, and nodes must not lose theirs: what there is stays.
    ...(foreign === undefined
      ? osImageConfigMap && { osImageConfigMap }
      : { osImageConfigMap: imagesOf(current) }),
    ...(osImageStream === undefined ? {} : { osImageStream }),
    ...(machineConfiguration === undefined ? {} : { machineConfiguration }),
    pools: [...seen.pools.all()],
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

/** As if the ConfigMap still said what the pool has. */
function imagesOf(current: MachineConfig | undefined) {
  const { osImageURL = '', baseOSExtensionsContainerImage = '' } = current?.spec ?? {};
  return { data: { osImageURL, baseOSExtensionsContainerImage } };
}

/** What no pool selects reaches no node, and nothing else would say so. */
function tellOfUnused(context: Context, seen: Seen, name: string): Next {
  const machineConfig = seen.machineConfigs.get({ name });
  if (machineConfig === undefined || isRendered(machineConfig.metadata)) return done;
  const { labels: given } = machineConfig.metadata;
  for (const { spec } of seen.pools.all())
    if (matchesSelector(spec.machineConfigSelector, given)) return done;
  const role = given?.[labels.role];
  const why = role === undefined ? `it has no label ${labels.role}` : `its role is ${role}`;
  const text = `No pool selects this MachineConfig (${why}), so it reaches no node: label it with the role of a pool, such as ${labels.role}=worker, or create a pool that selects it`;
  context.eventsOf(RENDER_COMPONENT).warning(configSubject(name), 'NotSelected', text);
  return done;
}
