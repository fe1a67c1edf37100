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
  CONTROLLER_CONFIG_NAME,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  labels,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  OS_IMAGE_CONFIG_MAP,
} from '../api/index.ts';
import { Failure } from '../base/errors.ts';
import { jsonEqual } from '../base/json.ts';
import { preparePackedSource } from '../config/content/index.ts';
import { isRendered, type Rendering, renderPool } from '../config/render/index.ts';
import {
  after,
  type Controller,
  done,
  type Enqueue,
  type Next,
  OwnWrites,
} from '../kubernetes/client/index.ts';
import {
  formatSelector,
  isEmptySelector,
  matchesSelector,
  selectorProblems,
} from '../kubernetes/meta/index.ts';
import { ConfirmedSources } from './confirmed-sources.ts';
import type { Context } from './context.ts';
import { isCompleted, isFailing } from './controller-config-status.ts';
import { PendingGeneration } from './pending-generation.ts';
import { PendingRenders } from './pending-renders.ts';
import {
  configurationOf,
  isPublished,
  publish,
  RenderWarnings,
  recordOnConfig,
} from './publish-rendering.ts';
import { cachesOf, type RenderSources, renderSources, watchRenderSources } from './render-sources.ts';

const CLUSTER = 'cluster';
/** Before the name of a MachineConfig in a key; the name of a pool has no slash. */
const CONFIG_PREFIX = 'config/';
const SOURCES_RETRY_MS = 1_000;
/** A key that keeps failing counts no longer after a while, which nothing else would show. */
const GENERATION_RECHECK_MS = 5_000;
const LAGGING_RETRY_MS = 1_000;

export function createRenderController(context: Context, renderState: RenderState): Controller {
  const sources = renderSources(context.caches, context.settings.namespace);
  const state: State = {
    ...renderState,
    confirmed: new ConfirmedSources(sources.confirmed),
    windows: new Map(),
    lastTargets: new Map(),
    generationWaiters: new Set(),
    warnings: new RenderWarnings(context, sources.machineConfigs),
  };
  return {
    name: 'render',
    workers: 2,
    caches: cachesOf(sources),
    watch: (enqueue) => watch(context, { sources, state }, enqueue),
    reconcile: async (key) =>
      key.startsWith(CONFIG_PREFIX)
        ? reportUnused(context, sources, key.slice(CONFIG_PREFIX.length))
        : reconcilePool(context, { sources, state, name: key }),
  };
}

function watch(
  { env, settings }: Context,
  { sources, state }: { readonly sources: RenderSources; readonly state: State },
  enqueue: Enqueue,
): void {
  const { renders, windows, lastTargets } = state;
  watchRenderSources(sources, {
    onSourceChange(pool) {
      const delayMs = windowMs(sources, pool, settings.renderWindowMs);
      const dueMs = env.clock.monotonic() + delayMs;
      renders.open(pool);
      windows.set(pool, Math.min(dueMs, windows.get(pool) ?? dueMs));
      enqueue(pool, delayMs);
    },
    onReleased(pool) {
      renders.open(pool);
      enqueue(pool);
    },
    isOwnTarget: ({ metadata, spec }) => jsonEqual(lastTargets.get(metadata.name), spec.configuration),
  });
  state.generation.onIdle(() => {
    for (const pool of state.generationWaiters) enqueue(pool);
    state.generationWaiters.clear();
  });
  sources.machineConfigs.onChange(({ before, after: next }) => {
    if (next === undefined || isRendered(next.metadata)) return;
    if (before !== undefined && jsonEqual(before.metadata.labels, next.metadata.labels)) return;
    // A pool that selects it may be created together with it.
    enqueue(`${CONFIG_PREFIX}${next.metadata.name}`, settings.renderWindowMs);
  });
}

/** Shared with the node controller, which must not send nodes to an outdated target, and with generating controllers. */
type RenderState = {
  readonly pools: OwnWrites<MachineConfigPool>;
  readonly renders: PendingRenders;
  readonly generation: PendingGeneration;
};

export function createRenderState({ caches, env }: Pick<Context, 'caches' | 'env'>): RenderState {
  const cache = caches.of(machineConfigPoolKind);
  const pools = new OwnWrites(cache);
  return { pools, renders: new PendingRenders(cache, pools), generation: new PendingGeneration(env.clock) };
}

type State = RenderState & {
  readonly confirmed: ConfirmedSources;
  /** By pool: when the window ends in which its changes are collected. */
  readonly windows: Map<string, number>;
  /** By pool: the target that we wrote last. When it arrives in the cache it is not a change by someone else. */
  readonly lastTargets: Map<string, MachineConfigPool['spec']['configuration']>;
  /** Pools whose sources are still being generated. */
  readonly generationWaiters: Set<string>;
  readonly warnings: RenderWarnings;
};

/** A pool without a configuration blocks its nodes, so it is rendered at once. */
function windowMs({ pools }: RenderSources, name: string, configuredMs: number): number {
  const isNew = (pools.get({ name })?.spec.configuration?.name ?? '') === '';
  return isNew ? 0 : configuredMs;
}

type RenderPass = { readonly sources: RenderSources; readonly state: State; readonly name: string };

async function reconcilePool(context: Context, pass: RenderPass): Promise<Next> {
  const { state, name } = pass;
  const remainingMs = (state.windows.get(name) ?? 0) - context.env.clock.monotonic();
  if (remainingMs > 0) return after(remainingMs, 'changes are being collected');
  state.windows.delete(name);
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
  if (state.generation.isPending()) {
    state.generationWaiters.add(name);
    return after(GENERATION_RECHECK_MS, 'MachineConfigs are being generated');
  }
  // No node of a paused pool is sent: it is opened again when it is unpaused.
  const isConfirmed =
    pool.spec.paused === true || (await state.confirmed.confirm(context.kube, state.renders.total));
  if (!isConfirmed) return after(LAGGING_RETRY_MS, 'a cache lags behind the server');
  const live = await readLive(context, sources, pool);
  if (live === undefined) return after(SOURCES_RETRY_MS, 'the base configs are being written');
  for (const source of live.machineConfigs)
    await preparePackedSource(source, () => context.env.clock.pause());
  const rendering = renderingOf(context, sources, { pool, ...live });
  state.warnings.report(pool, rendering);
  if (isPublished(sources, pool, rendering)) return 'settled';
  if (rendering.kind === 'rendered') state.lastTargets.set(name, configurationOf(rendering));
  const written = await publish(context, sources, { pool, rendering });
  if (written !== undefined) state.pools.record(written);
  return 'settled';
}

type LiveSources = {
  readonly controllerConfig: ControllerConfig;
  readonly machineConfigs: readonly MachineConfig[];
};

/**
 * A rendering is computed from what the server has now. Each cache lags by itself: one may show that the base configs are
 * complete while the other does not have all of them, and nodes would be updated twice.
 *
 * Undefined while the base configs are being written.
 */
async function readLive(
  { kube }: Context,
  sources: RenderSources,
  pool: MachineConfigPool,
): Promise<LiveSources | undefined> {
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
  if (!isSame) return undefined;
  const machineConfigs = items
    .filter(({ metadata }) => !isRendered(metadata))
    .map((live) => cachedVersion(sources, live));
  return { controllerConfig, machineConfigs };
}

/** The cached object where it is the same version: objects are checked once. */
function cachedVersion({ machineConfigs }: RenderSources, live: MachineConfig): MachineConfig {
  const cached = machineConfigs.get(live.metadata);
  const versionOf = ({ metadata: { uid, resourceVersion } }: MachineConfig) => `${uid}/${resourceVersion}`;
  return cached !== undefined && versionOf(cached) === versionOf(live) ? cached : live;
}

type RenderInput = { readonly pool: MachineConfigPool } & LiveSources;

function renderingOf(
  { release, settings: { base, namespace } }: Context,
  sources: RenderSources,
  { pool, controllerConfig, machineConfigs }: RenderInput,
): Rendering {
  const current = sources.machineConfigs.get({ name: pool.spec.configuration?.name ?? '' });
  const osImageConfigMap = sources.configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace });
  const osImageStream = sources.streams.get({ name: CLUSTER });
  const machineConfiguration = sources.configurations.get({ name: CLUSTER });
  return renderPool(pool, {
    ...{ machineConfigs, release, base, controllerConfig },
    ...(current === undefined ? {} : { current }),
    ...(osImageConfigMap === undefined ? {} : { osImageConfigMap }),
    ...(osImageStream === undefined ? {} : { osImageStream }),
    ...(machineConfiguration === undefined ? {} : { machineConfiguration }),
    pools: [...sources.pools.all()],
  });
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
  recordOnConfig(context, sources.machineConfigs, name, { reason: 'NotSelected', message: text });
  return done;
}
