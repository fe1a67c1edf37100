/**
 * Build: OS images of pools that have a MachineOSConfig.
 *
 *     MachineOSConfig, pool, rendered config ──> decideBuild() ──> one action: MachineOSBuild, Job, statuses
 *
 * It decides and carries out one action, and is called again by the change that the action makes. Everything that it knows is in
 * the API: a controller that dies at any point is continued by the next one.
 */
import { annotations, type MachineOSBuild, type MachineOSConfig } from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  type BuildAction,
  type BuildDecision,
  type BuildSnapshot,
  type ConfigProblem,
  decideBuild,
  digestConfigMapOf,
  jobNameOf,
  problemStatus,
} from '../../images/index.ts';
import {
  after,
  type Controller,
  done,
  type Enqueue,
  KubeError,
  type Next,
} from '../../kubernetes/client/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import { configMap as configMapKind, job as jobKind, type Node } from '../../kubernetes/types/index.ts';
import { buildStateOf } from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import {
  countConfigChange,
  declareBuilds,
  measureBuild,
  readBuildMetrics,
} from '../metrics/build-metrics.ts';
import { WarningEvents } from '../warning-events.ts';
import type { BuildContext, BuildOptions } from './build-context.ts';
import { BuildEvents } from './build-events.ts';
import {
  type BuildSources,
  type ConfirmedBuild,
  cachesOf,
  createBuildSources,
  snapshotOf,
} from './build-sources.ts';
import { carryOut, writeConfigStatus } from './carry-out.ts';
import { imagesOf } from './image-records.ts';
import { Inspections } from './inspections.ts';
import { configCredentials, pushCredentials } from './push-credentials.ts';

/** The reporting component of events. */
const BUILD_COMPONENT = 'machineosbuilder';

export function createBuildController(context: Context, options: BuildOptions): Controller {
  const sources = createBuildSources(context);
  readBuildMetrics(context, sources);
  const own: BuildContext = {
    ...context,
    options,
    sources,
    inspections: new Inspections(context.env.clock, options.limits),
    // As upstream: `kubectl describe` finds events about cluster-scoped objects in this namespace alone.
    buildEvents: new BuildEvents(
      context.eventsOf(BUILD_COMPONENT, 'default'),
      new WarningEvents(context.env.clock),
    ),
  };
  return {
    name: 'build',
    workers: 2,
    caches: cachesOf(sources),
    watch: (enqueue) => watchSources(own, enqueue),
    reconcile: (name) => reconcile(own, name),
  };
}

/** Few objects change during builds; everything but nodes concerns every config. */
function watchSources(context: BuildContext, enqueue: Enqueue): void {
  const { sources, buildEvents, inspections } = context;
  const enqueueAll = () => {
    for (const config of sources.configs.all()) enqueue(nameOf(config));
  };
  const configOf = (build: MachineOSBuild | undefined) => stringAt(build, 'spec', 'machineOSConfig', 'name');
  sources.configs.onChange(({ before, after: now }) => {
    enqueue(nameOf(now ?? before));
    if (before !== undefined && now === undefined) buildEvents.configDeleted(before);
    if (now !== undefined) declareBuilds(context, now);
    const isChanged = before !== undefined && before.metadata.generation !== now?.metadata.generation;
    if (now !== undefined && isChanged)
      countConfigChange(context, stringAt(now, 'spec', 'machineConfigPool', 'name'));
    // Another config of the same pool may take over.
    if (before === undefined || now === undefined) enqueueAll();
  });
  sources.builds.onChange((change) => {
    enqueue(configOf(change.after ?? change.before));
    measureBuild(context, sources, change);
  });
  for (const cache of [
    sources.jobs,
    sources.pods,
    sources.configMaps,
    sources.secrets,
    sources.controllerConfigs,
  ]) {
    cache.onChange(enqueueAll);
  }
  sources.pools.onChange(({ before, after: now }) => {
    if (jsonEqual(before?.spec, now?.spec)) return;
    const rendered = before?.spec.configuration?.name ?? '';
    const isRenderedAnew = rendered !== '' && rendered !== now?.spec.configuration?.name;
    if (now !== undefined && isRenderedAnew && hasConfig(sources, nameOf(now))) {
      buildEvents.poolConfigChanged(now, rendered);
      countConfigChange(context, nameOf(now));
    }
    enqueueAll();
  });
  sources.machineConfigs.onChange(({ before, after: now }) => {
    if (before === undefined || now === undefined) enqueueAll();
  });
  sources.nodes.onChange(({ before, after: now }) => {
    const picked = (node: Node | undefined) => [
      imagesOf(node),
      // The pool that it belongs to.
      node?.metadata.labels ?? {},
      stringAt(node, 'status', 'nodeInfo', 'osImage'),
      stringAt(node, 'status', 'nodeInfo', 'architecture'),
      annotationOf(node, annotations.state) === 'Degraded',
    ];
    if (jsonEqual(picked(before), picked(now))) return;
    // Perhaps because its image is gone: that is asked at once, not when the last answer has expired.
    if (annotationOf(now, annotations.state) === 'Degraded') {
      for (const image of imagesOf(now)) inspections.forget(image);
    }
    enqueueAll();
  });
}

function hasConfig({ configs }: BuildSources, pool: string): boolean {
  return [...configs.all()].some((config) => stringAt(config, 'spec', 'machineConfigPool', 'name') === pool);
}

/** Inspections are no changes, so the decision is repeated at once; a bound in case one never settles. */
const MAX_INSPECTIONS = 20;

async function reconcile(context: BuildContext, name: string): Promise<Next> {
  const { sources, env, options } = context;
  const config = sources.configs.get({ name });
  if (config === undefined || config.metadata.deletionTimestamp !== undefined) return done;
  const confirmed = new Map<string, ConfirmedBuild>();
  for (let count = 0; count < MAX_INSPECTIONS; count++) {
    const asked = {
      imageState: (image: string) => context.inspections.image(image),
      pushState: context.inspections.push(pushKey(sources, config)),
      limits: options.limits,
      nowMs: env.clock.now(),
    };
    const snapshot = snapshotOf(sources, config, asked, confirmed);
    const decision = decideBuild(snapshot);
    const { action } = decision;
    if (action.kind === 'inspect') await inspect(context, action);
    else if (action.kind === 'check-push') await checkPush(context, config);
    else if (action.kind === 'confirm') {
      confirmed.set(nameOf(action.build), await readFromServer(context, action.build));
    } else return await act(context, snapshot, decision);
  }
  return after(options.limits.inspectionMs, 'the registry was asked about many images');
}

async function act(context: BuildContext, snapshot: BuildSnapshot, decision: BuildDecision): Promise<Next> {
  const { config } = snapshot;
  const { action } = decision;
  try {
    await carryOut(context, snapshot, action);
  } catch (error) {
    const refused = refusalOf(error, action);
    if (refused !== undefined) await reportProblem(context, config, { ...decision, problem: refused });
    throw error;
  }
  // The change of the config calls again, with its new version.
  if (CONFIG_ACTIONS.has(action.kind)) return done;
  await reportProblem(context, config, decision);
  if (action.kind !== 'wait') return done;
  const { inspectionMs } = context.options.limits;
  return after(Math.min(action.afterMs ?? inspectionMs, inspectionMs), action.why);
}

const CONFIG_ACTIONS: ReadonlySet<BuildAction['kind']> = new Set([
  'follow',
  'begin-rebuild',
  'forget-pre-built',
]);

/** What the API server refuses for good: a rendered config that is too large for a ConfigMap, missing permissions. */
function refusalOf(error: unknown, { kind }: BuildAction): ConfigProblem | undefined {
  if (!(error instanceof KubeError) || error.kind !== 'stalled' || [404, 409].includes(error.code))
    return undefined;
  return { reason: 'ObjectRefused', message: `could not ${kind} the build: ${error.message}` };
}

async function readFromServer(
  { kube, sources }: BuildContext,
  build: MachineOSBuild,
): Promise<ConfirmedBuild> {
  const { namespace } = sources;
  const [job, digest] = await Promise.all([
    kube.get(jobKind, { name: jobNameOf(nameOf(build)), namespace }),
    kube.get(configMapKind, { name: digestConfigMapOf(nameOf(build)), namespace }),
  ]);
  return { job, digest };
}

async function inspect(
  { inspections, options, sources }: BuildContext,
  { image, build }: { readonly image: string; readonly build: MachineOSBuild },
): Promise<void> {
  inspections.setImage(image, await options.registry.inspect(image, pushCredentials(sources, build)));
}

async function checkPush(
  { inspections, options, sources }: BuildContext,
  config: MachineOSConfig,
): Promise<void> {
  const reference = stringAt(config, 'spec', 'renderedImagePushSpec');
  const state = await options.registry.checkPush(reference, configCredentials(sources, config));
  inspections.setPush(pushKey(sources, config), state);
}

/** Other credentials are another question. */
function pushKey(sources: BuildSources, config: MachineOSConfig): string {
  const name = stringAt(config, 'spec', 'renderedImagePushSecret', 'name');
  const secret = sources.secrets.get({ name, namespace: sources.namespace });
  return `${stringAt(config, 'spec', 'renderedImagePushSpec')} ${secret?.metadata.uid} ${secret?.metadata.resourceVersion}`;
}

/** The condition `Degraded` of the config, and an event for a new problem. */
async function reportProblem(
  context: BuildContext,
  config: MachineOSConfig,
  { problem, name = '' }: BuildDecision,
): Promise<void> {
  const build = context.sources.builds.get({ name });
  const isBuilt = build !== undefined && buildStateOf(build) === 'Succeeded';
  const failure = unfinishedFailure(config);
  const kept = problem ?? (isBuilt ? undefined : failure);
  const status = problemStatus(config, {
    problem: kept,
    isObserved: problem !== undefined || annotationOf(config, annotations.currentMachineOSBuild) === name,
    nowMs: context.env.clock.now(),
  });
  context.buildEvents.problem(config, problem);
  if (jsonEqual(status, config.status)) return;
  await writeConfigStatus(context, config, status);
  const [last = 0, observed = 0] = [config.status?.observedGeneration, status.observedGeneration];
  // The first one is no change.
  if (last > 0 && observed > last) context.buildEvents.reconciled(config, problem);
  if (failure !== undefined && isBuilt) context.buildEvents.recovered(config);
}

/** A failure is over when a build has succeeded, or the config was changed, not when the next attempt begins. */
function unfinishedFailure({ metadata, status }: MachineOSConfig): ConfigProblem | undefined {
  const before = status?.conditions?.find(({ type }) => type === 'Degraded');
  if (before?.status !== 'True' || before.reason !== 'BuildFailed') return undefined;
  const isChanged = (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
  return isChanged ? undefined : { reason: 'BuildFailed', message: before.message };
}
