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
  annotations,
  apiVersionOf,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  type MachineConfigPool,
  type MachineConfiguration,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
  matchesSelector,
  type OSImageStream,
  osImageStream as osImageStreamKind,
} from '../api/index.ts';
import { type ConfigMap, configMap as configMapKind } from '../builtin/index.ts';
import { jsonEqual } from '../json.ts';
import {
  type Cache,
  type Change,
  type Controller,
  done,
  type Enqueue,
  isAlreadyExists,
  type Next,
} from '../kube/index.ts';
import { isRendered, type Rendering, render, settingsFor } from '../render/index.ts';
import { type Context, NAMESPACE } from './context.ts';
import { CONTROLLER_CONFIG_NAME, isCompleted } from './controller-config-status.ts';

export const OS_IMAGE_CONFIG_MAP = 'machine-config-osimageurl';
const CLUSTER = 'cluster';
const COMPONENT = 'machineconfigcontroller-rendercontroller';

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
  const seen = { pools, machineConfigs, controllerConfigs, streams, configurations, configMaps };
  return {
    name: 'render',
    workers: 2,
    caches: Object.values(seen),
    watch: (enqueue) => watchSources(seen, soonOrNow(seen, enqueue, settings.renderWindowMs)),
    reconcile: (name) => renderPool(context, seen, name),
  };
}

type Seen = {
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

function watchSources(seen: Seen, look: Look): void {
  const { pools, machineConfigs, controllerConfigs, streams, configurations, configMaps } = seen;
  const lookAtAll = () => {
    for (const { metadata } of pools.all()) look(metadata.name);
  };
  pools.onChange(({ before, after }) => {
    // Its status is no source, and changes often.
    if (after === undefined || (before !== undefined && jsonEqual(before.spec, after.spec))) return;
    look(after.metadata.name);
    // Custom pools take the stream of the worker pool.
    if (after.metadata.name === 'worker') lookAtAll();
  });
  machineConfigs.onChange((change) => {
    for (const name of poolsOf(change, pools)) look(name);
  });
  controllerConfigs.onChange(lookAtAll);
  streams.onChange(lookAtAll);
  configurations.onChange(lookAtAll);
  configMaps.onChange(lookAtAll);
}

/** The pools that a MachineConfig concerns: who selects it now or did, or who made it. */
function poolsOf(
  { before, after }: Change<MachineConfig>,
  pools: Cache<MachineConfigPool>,
): ReadonlySet<string> {
  const names = new Set<string>();
  if (before !== undefined && after !== undefined) {
    const isSame =
      jsonEqual(before.spec, after.spec) && jsonEqual(before.metadata.labels, after.metadata.labels);
    if (isSame) return names;
  }
  for (const machineConfig of [before, after]) {
    if (machineConfig === undefined) continue;
    // A rendered one that somebody deleted or changed is made again by its pool.
    for (const { kind, name } of machineConfig.metadata.ownerReferences ?? []) {
      if (kind === machineConfigPoolKind.kind) names.add(name);
    }
    if (isRendered(machineConfig.metadata)) continue;
    for (const pool of pools.all()) {
      if (matchesSelector(pool.spec.machineConfigSelector, machineConfig.metadata.labels)) {
        names.add(pool.metadata.name);
      }
    }
  }
  return names;
}

async function renderPool(context: Context, seen: Seen, name: string): Promise<Next> {
  const pool = seen.pools.get({ name });
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return done;
  const controllerConfig = seen.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  // The base configs must be there first; when they are, the status of the ControllerConfig says so and wakes us.
  if (controllerConfig === undefined || !isCompleted(controllerConfig)) return done;
  const rendering = renderingOf(context, seen, pool);
  switch (rendering.kind) {
    case 'ignored':
      context.eventsOf(COMPONENT).warning(subjectOf(pool), rendering.reason, rendering.message);
      return done;
    case 'refused':
      await tellProblem(
        context,
        pool,
        `Failed to render configuration for pool ${name}: ${rendering.message}`,
      );
      return done;
    case 'rendered':
      return publish(context, seen, { pool, rendering });
  }
}

function renderingOf({ release }: Context, seen: Seen, pool: MachineConfigPool): Rendering {
  const controllerConfig = seen.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
  const osImageConfigMap = seen.configMaps.get({ name: OS_IMAGE_CONFIG_MAP, namespace: NAMESPACE });
  const osImageStream = seen.streams.get({ name: CLUSTER });
  const machineConfiguration = seen.configurations.get({ name: CLUSTER });
  const settings = settingsFor(pool, {
    ...(controllerConfig === undefined ? {} : { controllerConfig }),
    // What belongs to another release is not read; the operator says so.
    ...(osImageConfigMap === undefined || !isOfRelease(osImageConfigMap, release.releaseVersion)
      ? {}
      : { osImageConfigMap }),
    ...(osImageStream === undefined ? {} : { osImageStream }),
    ...(machineConfiguration === undefined ? {} : { machineConfiguration }),
    pools: [...seen.pools.all()],
  });
  if (settings.kind === 'invalid') {
    return { kind: 'refused', message: settings.problems[0]?.message ?? '', problems: settings.problems };
  }
  const current = seen.machineConfigs.get({ name: pool.spec.configuration?.name ?? '' });
  return render({
    pool,
    machineConfigs: [...seen.machineConfigs.all()].filter(({ metadata }) => !isRendered(metadata)),
    settings: { ...settings.value, controllerVersion: release.controllerVersion },
    ...(current === undefined ? {} : { current }),
  });
}

/** A ConfigMap that names no release is taken as it is. */
export function isOfRelease({ data }: ConfigMap, releaseVersion: string): boolean {
  const version = data?.releaseVersion ?? '';
  return version === '' || version === releaseVersion;
}

type Publication = {
  readonly pool: MachineConfigPool;
  readonly rendering: Extract<Rendering, { readonly kind: 'rendered' }>;
};

async function publish(
  context: Context,
  { machineConfigs }: Seen,
  { pool, rendering }: Publication,
): Promise<Next> {
  const { machineConfig, sources } = rendering;
  const { name } = machineConfig.metadata;
  if (machineConfigs.get({ name }) === undefined) await makeRendered(context, pool, machineConfig);
  const configuration = { name, source: sources };
  const isTargeted = jsonEqual(pool.spec.configuration, configuration);
  const hasProblem = pool.metadata.annotations?.[annotations.renderProblem] !== undefined;
  if (!isTargeted || hasProblem) {
    await patchPool(context, pool, {
      metadata: { annotations: { [annotations.renderProblem]: null } },
      spec: { configuration },
    });
  }
  if (!isTargeted) context.env.log.info('pool now targets', { pool: pool.metadata.name, config: name });
  return done;
}

async function makeRendered(
  context: Context,
  pool: MachineConfigPool,
  rendered: MachineConfig,
): Promise<void> {
  const { kube, release } = context;
  try {
    await kube.create(machineConfigKind, rendered);
  } catch (error) {
    // Its name is a digest of its content: whoever made it made the same.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const about = `(release version: ${release.releaseVersion}, controller version: ${release.controllerVersion})`;
  const message = `${rendered.metadata.name} successfully generated ${about}`;
  context.eventsOf(COMPONENT).normal(subjectOf(pool), 'RenderedConfigGenerated', message);
}

async function tellProblem(context: Context, pool: MachineConfigPool, problem: string): Promise<void> {
  if (pool.metadata.annotations?.[annotations.renderProblem] === problem) return;
  await patchPool(context, pool, { metadata: { annotations: { [annotations.renderProblem]: problem } } });
}

/** Only this very pool: one that was made anew under its name has other sources. */
async function patchPool({ kube }: Context, pool: MachineConfigPool, patch: object): Promise<void> {
  const metadata = 'metadata' in patch && typeof patch.metadata === 'object' ? patch.metadata : {};
  const body = { ...patch, metadata: { ...metadata, uid: pool.metadata.uid } };
  await kube.patch(machineConfigPoolKind, { name: pool.metadata.name }, { type: 'merge', body });
}

function subjectOf({ metadata }: MachineConfigPool) {
  const { name, uid } = metadata;
  const about = { apiVersion: apiVersionOf(machineConfigPoolKind), kind: machineConfigPoolKind.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
