/**
 * Node: sends the nodes of a pool to its target, a few at a time, and writes the status of the pool.
 *
 *     pools, nodes, MachineConfigNodes ──> PoolTally per pool ──> candidates ──> node desired*, MachineConfigNode desired
 *                                                           └──> taints, fetch-image, pool.status, events
 *
 * The tallies follow the caches node by node, so one event in a pool of thousands costs one update. They are derived: a
 * restarted controller computes the same ones.
 *
 * Caches may lag behind our own writes. Nodes that were sent count from the moment the server confirmed the write
 * (`PoolIndex`): otherwise more nodes than allowed could be sent. No node is sent while its pool waits to be rendered
 * (`PendingRenders`).
 */
import {
  CONTROLLER_CONFIG_NAME,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { isEmptyRendered, isRendered } from '../config/render/index.ts';
import {
  type AnyObject,
  after,
  type Change,
  type Controller,
  done,
  type Enqueue,
  type Next,
} from '../kubernetes/client/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import {
  annotationEvents,
  conflictEvent,
  deferralEvent,
  type Gate,
  type Layering,
  layeringOf,
  maxUnavailable,
  membershipOf,
  missingConfigEvent,
  NO_SELECTION,
  nodeSelectorProblem,
  nodesToAdopt,
  outageEvent,
  type PoolTally,
  poolGate,
  type RolloutEvent,
  requiredSets,
  selectCandidates,
  selectingAllEvent,
  specEvent,
  targetingEvent,
  targetOf,
} from '../rollout/index.ts';
import { BuilderWatch } from './builder-watch.ts';
import type { Context } from './context.ts';
import { readNodeMetrics } from './metrics/node-metrics.ts';
import { forgetPool, noteCompleted } from './metrics/sub-controller-state.ts';
import { UpdatePhases } from './metrics/update-phases.ts';
import { type NodeSources, nodeSources } from './node-sources.ts';
import type { PendingRenders } from './pending-renders.ts';
import { PoolIndex, UNASSIGNED_PREFIX } from './pool-index.ts';
import { nodeSubject, osConfigSubject, record, subjectOf } from './rollout-events.ts';
import { chooseNodes, sendNodes, writeRecords } from './send-nodes.ts';
import { StatusWriter } from './status-writer.ts';
import { WarningEvents } from './warning-events.ts';
import { writeFetches } from './write-fetches.ts';
import { writeTaints } from './write-taints.ts';

/** A rendered config may be absent for so long before that is reported: it may be on its way to the cache. */
const MISSING_CONFIG_GRACE_MS = 15_000;
const MASTER = 'master';
const ARBITER = 'arbiter';

export function createNodeController(context: Context, renders: PendingRenders): Controller {
  const sources = nodeSources(context.caches, context.settings.namespace);
  const state: State = {
    sources,
    index: new PoolIndex(sources, context.settings),
    statuses: new StatusWriter(context, sources),
    warnings: new WarningEvents(context.env.clock),
    renders,
    missingSinceMs: new Map(),
    builders: new BuilderWatch(context),
    phases: new UpdatePhases(context.metrics, context.env.clock),
  };
  readNodeMetrics(context, state);
  return {
    name: 'node',
    workers: 2,
    caches: Object.values(sources),
    watch: (enqueue) => watchSources(context, state, enqueue),
    reconcile: (key) => {
      if (key.startsWith(UNASSIGNED_PREFIX))
        return reportUnassigned(context, state, key.slice(UNASSIGNED_PREFIX.length));
      return key === MASTER ? syncControlPlane(context, state) : syncPool(context, state, key);
    },
  };
}

/** Derived from the cluster, or only there to avoid repeated events. */
type State = {
  readonly sources: NodeSources;
  readonly index: PoolIndex;
  readonly statuses: StatusWriter;
  readonly warnings: WarningEvents;
  readonly renders: PendingRenders;
  /** By pool: since when its target is missing. */
  readonly missingSinceMs: Map<string, number>;
  readonly builders: BuilderWatch;
  readonly phases: UpdatePhases;
};

function watchSources(context: Context, state: State, enqueue: Enqueue): void {
  const { sources, index, renders } = state;
  const { pools, nodes, machineConfigNodes, machineConfigs } = sources;
  const { controllerConfigs, streams, osConfigs, osBuilds, pinnedImageSets } = sources;
  const enqueueEach = (keys: Iterable<string>) => {
    for (const key of keys) enqueue(key === ARBITER ? MASTER : key);
  };
  const enqueueAll = () => enqueueEach([...pools.all()].map(({ metadata }) => metadata.name));
  pools.onChange((change) => {
    enqueueEach(index.onPool(change));
    if (change.before !== undefined && change.after === undefined)
      forgetPool(context, change.before.metadata.name);
  });
  renders.onSettled((pool) => enqueueEach([pool]));
  nodes.onChange((change) => {
    enqueueEach(index.onNode(change));
    recordControlPlaneEvents(context, sources, change);
    measurePhase(state, change);
  });
  machineConfigNodes.onChange((change) => {
    enqueueEach(index.onMachineConfigNode(change));
    measurePhase(state, change);
  });
  machineConfigs.onChange(({ before, after: next }) => {
    if (before !== undefined || next === undefined || !isRendered(next.metadata)) return;
    // Its pool may be waiting for it.
    const owners = next.metadata.ownerReferences ?? [];
    enqueueEach(owners.filter(({ kind }) => kind === machineConfigPoolKind.kind).map(({ name }) => name));
  });
  controllerConfigs.onChange(({ before, after: next }) => {
    if (!jsonEqual(before?.spec.infra, next?.spec.infra) || !jsonEqual(before?.status, next?.status))
      enqueueAll();
  });
  streams.onChange(enqueueAll);
  osConfigs.onChange(enqueueAll);
  osBuilds.onChange(enqueueAll);
  pinnedImageSets.onChange(enqueueAll);
}

/** As the server has them, which may be later than `index`. */
function measurePhase({ sources, index, phases }: State, { before, after: next }: Change<AnyObject>): void {
  const { name } = (next ?? before)?.metadata ?? { name: '' };
  const node = sources.nodes.get({ name });
  const [record, pool] = [sources.machineConfigNodes.get({ name }), index.poolOf(name)];
  phases.onChange(name, node === undefined || pool === undefined ? undefined : { node, record, pool });
}

/** Changes of control plane nodes are recorded one by one. */
function recordControlPlaneEvents(
  context: Context,
  { pools }: NodeSources,
  { before, after: next }: Change<Node>,
): void {
  if (before === undefined || next === undefined) return;
  const { primary } = membershipOf(next, pools.all());
  if (primary?.metadata.name !== MASTER) return;
  for (const event of annotationEvents(before, next)) record(context, subjectOf(primary), event);
}

/** A node that is in no pool although it should be: recorded on the node, and on the pools in conflict. */
async function reportUnassigned(context: Context, { sources, index }: State, name: string): Promise<Next> {
  const node = index.node(name);
  if (node === undefined) return done;
  const membership = membershipOf(node, sources.pools.all());
  if (membership.kind === 'conflict') {
    const event = conflictEvent(membership.message);
    record(context, nodeSubject(node), event);
    for (const pool of membership.pools) record(context, subjectOf(pool), event);
  }
  if (membership.kind === 'none' && membership.message !== undefined)
    record(context, nodeSubject(node), {
      type: 'Warning',
      reason: 'NoPool',
      message: `${membership.message}: give it the labels that a pool selects`,
      isAdditional: true,
    });
  return done;
}

/**
 * The pools master and arbiter share one etcd and wait for each other. They are reconciled one after the other, never
 * concurrently: each could find the other available and send a node, and etcd would lose two members.
 */
async function syncControlPlane(context: Context, state: State): Promise<Next> {
  return soonest([await syncPool(context, state, MASTER), await syncPool(context, state, ARBITER)]);
}

async function syncPool(context: Context, state: State, name: string): Promise<Next> {
  const { sources, index } = state;
  const pool = sources.pools.get({ name });
  const tally = index.tally(name);
  if (pool === undefined || tally === undefined) {
    state.warnings.due(name, []);
    state.missingSinceMs.delete(name);
    state.builders.forget(name);
    return done;
  }
  const layering = layeringOf(pool, sources.osConfigs.all(), sources.osBuilds.all());
  tally.retarget(targetOf(pool, layering));
  tally.repin(requiredSets(pool, [...sources.pinnedImageSets.all()]));
  const gate = poolGate({
    ...controlPlanePools(sources, index, name),
    pool,
    isRenderPending: state.renders.isPending(name),
    machineConfigExists: (config) => sources.machineConfigs.get({ name: config }) !== undefined,
    ...(layering === undefined ? {} : { layering }),
  });
  if (gate.kind === 'closed' && !gate.hasStatus) return reportBlocked(context, state, { pool, gate });
  const { outage, next } = await reportOutage(context, state, { pool, layering });
  const nexts: Next[] = [next];
  try {
    await adoptNodes(context, state, { pool, tally, gate });
    nexts.push(await updateNodes(context, state, { pool, tally, gate }));
  } finally {
    // The status is written even if no node could be sent.
    await state.statuses.write({ pool, tally, layering, outage });
  }
  if (gate.kind === 'open') nexts.push(await writeTaints(context, index, tally));
  const isPaused = gate.kind === 'closed' && gate.reason === 'Paused';
  // A gate that is closed for now changes nothing: it would ask nodes again for the same image.
  if (gate.kind === 'open' || isPaused) {
    nexts.push(await writeFetches(context, { sources, index, tally, isPaused }));
  }
  nexts.push(await writeRecords(context, index, name));
  noteCompleted(context, 'node', name);
  return soonest(nexts);
}

function soonest(nexts: readonly Next[]): Next {
  const delays = nexts.flatMap((next) => (next.kind === 'after' ? [next] : []));
  return delays.toSorted((a, b) => a.delayMs - b.delayMs)[0] ?? done;
}

type Build = { readonly pool: MachineConfigPool; readonly layering: Layering | undefined };

/** Whether the pool waits for a build, and no builder is running: an event on the pool and on the MachineOSConfig. */
async function reportOutage(context: Context, state: State, { pool, layering }: Build) {
  const found = await state.builders.look(pool, layering);
  const events = found.outage === undefined ? [] : [outageEvent(found.outage)];
  for (const event of state.warnings.due(`${pool.metadata.name}/image-mode`, events)) {
    record(context, subjectOf(pool), event);
    if (layering !== undefined) record(context, osConfigSubject(layering.config), event);
  }
  return found;
}

type PoolPass = { readonly pool: MachineConfigPool; readonly tally: PoolTally; readonly gate: Gate };

/** Nodes without a config join a pool with an empty one. */
async function adoptNodes(context: Context, state: State, { pool, tally, gate }: PoolPass): Promise<void> {
  const { sources, index } = state;
  const { config, layered } = tally.target;
  const target = sources.machineConfigs.get({ name: config });
  const chosen = nodesToAdopt({
    gate,
    isTargetEmpty: target !== undefined && isEmptyRendered(target) && layered === undefined,
    candidates: tally.availability.candidates,
  });
  if (chosen.length === 0) return;
  await index.confirmWrites(context.kube);
  await sendNodes(context, {
    ...{ index, tally, choice: { chosen, relabelled: [] } },
    mayContinue: () => isStillOpen(state, pool),
    onSent: (names) => record(context, subjectOf(pool), targetingEvent(names, tally.target)),
  });
}

async function updateNodes(context: Context, state: State, { pool, tally, gate }: PoolPass): Promise<Next> {
  const { sources, index } = state;
  if (gate.kind === 'closed') return reportBlocked(context, state, { pool, gate });
  state.missingSinceMs.delete(pool.metadata.name);
  await index.confirmWrites(context.kube);
  const limit = maxUnavailable(pool, tally.counts.machineCount);
  const selection =
    limit.kind === 'invalid' ? NO_SELECTION : selectCandidates(tally.availability, limit.value);
  const choice = chooseNodes(sources, pool, selection);
  const events = [
    ...(limit.kind === 'invalid' ? limit.problems : limit.warnings).map(specEvent),
    ...(choice.deferred === undefined ? [] : [deferralEvent(choice.deferred.name)]),
  ];
  recordWarnings(context, state, pool, events);
  const onSent = (names: readonly string[]) =>
    record(context, subjectOf(pool), targetingEvent(names, tally.target));
  const mayContinue = () => isStillOpen(state, pool);
  await sendNodes(context, { index, tally, choice, mayContinue, onSent });
  return done;
}

/** Otherwise the pool is reconciled again, by its own change or when its rendering is no longer pending. */
function isStillOpen({ sources, renders }: State, { metadata: { name }, spec }: MachineConfigPool): boolean {
  return !renders.isPending(name) && jsonEqual(sources.pools.get({ name })?.spec, spec);
}

type ClosedGate = Extract<Gate, { readonly kind: 'closed' }>;
type BlockedPool = { readonly pool: MachineConfigPool; readonly gate: ClosedGate };

/** No node is sent. Reports what the administrator has to fix, not what resolves by itself. */
function reportBlocked(context: Context, state: State, { pool, gate }: BlockedPool): Next {
  const { name } = pool.metadata;
  if (gate.reason === 'RenderPending') return done;
  if (gate.reason !== 'MissingMachineConfig') {
    state.missingSinceMs.delete(name);
    recordWarnings(context, state, pool, gate.reason === 'SelectingAll' ? [selectingAllEvent] : []);
    return done;
  }
  // It may not be in the cache yet, or is being recreated: only a lasting absence is reported.
  const nowMs = context.env.clock.monotonic();
  const sinceMs = state.missingSinceMs.get(name) ?? nowMs;
  state.missingSinceMs.set(name, sinceMs);
  const isOld = nowMs - sinceMs >= MISSING_CONFIG_GRACE_MS;
  recordWarnings(context, state, pool, isOld ? [missingConfigEvent(gate.message)] : []);
  return after(MISSING_CONFIG_GRACE_MS, 'the rendered config is missing');
}

/** Warnings about the pool, or about what blocks one of its nodes. */
function recordWarnings(
  context: Context,
  { warnings }: State,
  pool: MachineConfigPool,
  events: readonly RolloutEvent[],
): void {
  const selector = nodeSelectorProblem(pool);
  const all = [...(selector === undefined ? [] : [specEvent(selector)]), ...events];
  for (const event of warnings.due(pool.metadata.name, all)) record(context, subjectOf(pool), event);
}

/** What the pools master and arbiter have to know of each other. */
function controlPlanePools({ controllerConfigs, pools }: NodeSources, index: PoolIndex, name: string) {
  const infra = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })?.spec.infra;
  const topology = infra?.status?.controlPlaneTopology ?? '';
  if (name !== MASTER && name !== ARBITER) return { topology };
  const masters = index.tally(MASTER);
  const arbiters = index.tally(ARBITER);
  return {
    topology,
    ...(masters === undefined
      ? {}
      : {
          master: {
            isPaused: pools.get({ name: MASTER })?.spec.paused === true,
            unavailable: masters.availability.unavailable,
            candidates: [...masters.availability.candidates].length,
          },
        }),
    ...(arbiters === undefined ? {} : { arbiter: { unavailable: arbiters.availability.unavailable } }),
  };
}
