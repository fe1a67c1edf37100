/**
 * Node: sends the nodes of a pool to its configuration, few at a time, and says how far the pool has come.
 *
 *     pools, nodes, MachineConfigNodes ──> PoolTally per pool ──> who moves ──> node desired*, MachineConfigNode desired
 *                                                           └──> taints, pool.status, events
 *
 * The tallies follow the caches node by node, so one event in a pool of thousands costs one look. They are derived: a
 * controller that starts anew makes the same ones.
 *
 * A cache may lag behind what we have just written. Nodes that we sent on their way count as such from the moment the
 * server confirmed it, whatever older news of them arrive later: otherwise more nodes than allowed could be sent. What was
 * sent without an answer is asked for first (`send-nodes.ts`).
 */
import { type MachineConfigPool, machineConfigPool as machineConfigPoolKind } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { isRendered } from '../config/render/index.ts';
import {
  after,
  type Change,
  type Controller,
  done,
  type Enqueue,
  type EventSubject,
  type Next,
} from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';
import {
  annotationEvents,
  conflictEvent,
  deferralEvent,
  type Gate,
  layeringOf,
  maxUnavailable,
  membershipOf,
  missingConfigEvent,
  NO_SELECTION,
  nodeSelectorProblem,
  type PoolTally,
  poolGate,
  ROLLOUT_COMPONENT,
  type RolloutEvent,
  selectCandidates,
  selectingAllEvent,
  specEvent,
  targetingEvent,
  targetOf,
} from '../rollout/index.ts';
import { Complaints } from './complaints.ts';
import type { Context } from './context.ts';
import { CONTROLLER_CONFIG_NAME } from './controller-config-status.ts';
import { type NodeSources, nodeSources } from './node-sources.ts';
import { PoolBooks, STRAY_PREFIX } from './pool-books.ts';
import { RenderWindows } from './render-windows.ts';
import { record, subjectOf } from './rollout-events.ts';
import { chooseNodes, sendNodes, settleDoubts, writeRecords } from './send-nodes.ts';
import { StatusWriter } from './status-writer.ts';
import { writeTaints } from './write-taints.ts';

const MISSING_PATIENCE_MS = 15_000;
const MASTER = 'master';
const ARBITER = 'arbiter';

export function createNodeController(context: Context): Controller {
  const sources = nodeSources(context.caches);
  const state: State = {
    sources,
    books: new PoolBooks(sources),
    statuses: new StatusWriter(context, sources),
    complaints: new Complaints(context.env.clock),
    windows: new RenderWindows(context.env.clock, context.settings.renderWindowMs, sources.pools),
    missingSinceMs: new Map(),
  };
  return {
    name: 'node',
    workers: 2,
    caches: Object.values(sources),
    watch: (enqueue) => watchWorld(context, state, enqueue),
    reconcile: (key) => {
      if (key.startsWith(STRAY_PREFIX)) return tellOfStray(context, state, key.slice(STRAY_PREFIX.length));
      return key === MASTER ? syncControlPlane(context, state) : syncPool(context, state, key);
    },
  };
}

/** All of it is derived from the cluster, or only keeps us from repeating ourselves. */
type State = {
  readonly sources: NodeSources;
  readonly books: PoolBooks;
  readonly statuses: StatusWriter;
  readonly complaints: Complaints;
  readonly windows: RenderWindows;
  /** By pool: since when the config that it targets is not there. */
  readonly missingSinceMs: Map<string, number>;
};

function watchWorld(context: Context, { sources, books, windows }: State, enqueue: Enqueue): void {
  const { pools, nodes, machineConfigNodes, machineConfigs } = sources;
  const { controllerConfigs, streams, osConfigs, osBuilds } = sources;
  const look = (keys: Iterable<string>) => {
    for (const key of keys) enqueue(key === ARBITER ? MASTER : key);
  };
  const lookAtAll = () => look([...pools.all()].map(({ metadata }) => metadata.name));
  pools.onChange((change) => {
    windows.onPool(change);
    look(books.onPool(change));
  });
  nodes.onChange((change) => {
    look(books.onNode(change));
    tellOfMaster(context, sources, change);
  });
  machineConfigNodes.onChange((change) => look(books.onMachineConfigNode(change)));
  machineConfigs.onChange((change) => {
    windows.onMachineConfig(change);
    const { before, after: next } = change;
    if (before !== undefined || next === undefined || !isRendered(next.metadata)) return;
    // Its pool may wait for it.
    const owners = next.metadata.ownerReferences ?? [];
    look(owners.filter(({ kind }) => kind === machineConfigPoolKind.kind).map(({ name }) => name));
  });
  controllerConfigs.onChange(({ before, after: next }) => {
    if (!jsonEqual(before?.spec.infra, next?.spec.infra) || !jsonEqual(before?.status, next?.status))
      lookAtAll();
  });
  streams.onChange(lookAtAll);
  osConfigs.onChange(lookAtAll);
  osBuilds.onChange(lookAtAll);
}

/** Moves of the control plane are told one by one. */
function tellOfMaster(context: Context, { pools }: NodeSources, { before, after: next }: Change<Node>): void {
  if (before === undefined || next === undefined) return;
  const { primary } = membershipOf(next, pools.all());
  if (primary?.metadata.name !== MASTER) return;
  const events = context.eventsOf(ROLLOUT_COMPONENT);
  for (const event of annotationEvents(before, next)) record(events, subjectOf(primary), event);
}

/** A node that is in no pool although it should be: said on the node, and on the pools that fight over it. */
async function tellOfStray(context: Context, { sources, books }: State, name: string): Promise<Next> {
  const node = books.node(name);
  const membership = node === undefined ? undefined : membershipOf(node, sources.pools.all());
  const events = context.eventsOf(ROLLOUT_COMPONENT);
  const about: EventSubject = { apiVersion: 'v1', kind: nodeKind.kind, name };
  if (membership?.kind === 'conflict') {
    const event = conflictEvent(membership.message);
    record(events, about, event);
    for (const pool of membership.pools) record(events, subjectOf(pool), event);
  }
  if (membership?.kind === 'none' && membership.message !== undefined)
    record(events, about, {
      type: 'Warning',
      reason: 'NoPool',
      message: `${membership.message}: give it the labels that a pool selects`,
    });
  return done;
}

/**
 * The control plane and its arbiter wait for each other: what changes one concerns both. They are looked at one after the
 * other, never at once: each could find the other whole and send a node, and etcd would lose two.
 */
async function syncControlPlane(context: Context, state: State): Promise<Next> {
  return soonest([await syncPool(context, state, MASTER), await syncPool(context, state, ARBITER)]);
}

async function syncPool(context: Context, state: State, name: string): Promise<Next> {
  const { sources, books } = state;
  const pool = sources.pools.get({ name });
  const tally = books.tally(name);
  if (pool === undefined || tally === undefined) {
    state.complaints.news(name, []);
    state.missingSinceMs.delete(name);
    state.statuses.forget(name);
    return done;
  }
  const layering = layeringOf(pool, sources.osConfigs.all(), sources.osBuilds.all());
  tally.retarget(targetOf(pool, layering));
  const gate = poolGate({
    ...neighbours(sources, books, name),
    pool,
    isRenderPending: state.windows.remainingMs(name) > 0,
    machineConfigExists: (config) => sources.machineConfigs.get({ name: config }) !== undefined,
    ...(layering === undefined ? {} : { layering }),
  });
  if (gate.kind === 'closed' && !gate.hasStatus) return standStill(context, state, { pool, gate });
  const nexts: Next[] = [];
  try {
    nexts.push(await rollOut(context, state, { pool, tally, gate }));
  } finally {
    // Whatever keeps us from sending nodes, what is known of them is told.
    await state.statuses.write({ pool, tally, layering });
  }
  if (gate.kind === 'open') nexts.push(await writeTaints(context, books, tally));
  nexts.push(await writeRecords(context, books, name));
  return soonest(nexts);
}

function soonest(nexts: readonly Next[]): Next {
  const delays = nexts.flatMap((next) => (next.kind === 'after' ? [next] : []));
  return delays.toSorted((a, b) => a.delayMs - b.delayMs)[0] ?? done;
}

type Looking = { readonly pool: MachineConfigPool; readonly tally: PoolTally; readonly gate: Gate };

async function rollOut(context: Context, state: State, { pool, tally, gate }: Looking): Promise<Next> {
  const { sources, books } = state;
  if (gate.kind === 'closed') return standStill(context, state, { pool, gate });
  state.missingSinceMs.delete(pool.metadata.name);
  await settleDoubts(context, books);
  const limit = maxUnavailable(pool, tally.counts.machineCount);
  const selection = limit.kind === 'invalid' ? NO_SELECTION : selectCandidates(tally.standing, limit.value);
  const choice = chooseNodes(sources, pool, selection);
  const events = [
    ...(limit.kind === 'invalid' ? limit.problems : limit.warnings).map(specEvent),
    ...(choice.deferred === undefined ? [] : [deferralEvent(choice.deferred.name)]),
  ];
  complain(context, state, pool, events);
  const onSent = (names: readonly string[]) =>
    record(context.eventsOf(ROLLOUT_COMPONENT), subjectOf(pool), targetingEvent(names, tally.target));
  await sendNodes(context, { books, tally, choice, onSent });
  return done;
}

type Closed = Extract<Gate, { readonly kind: 'closed' }>;
type Standing = { readonly pool: MachineConfigPool; readonly gate: Closed };

/** Nobody is sent. What somebody has to mend is said; what passes by itself is not. */
function standStill(context: Context, state: State, { pool, gate }: Standing): Next {
  const { name } = pool.metadata;
  if (gate.reason === 'RenderPending') return after(state.windows.remainingMs(name) + 1, 'for the rendering');
  if (gate.reason !== 'MissingMachineConfig') {
    state.missingSinceMs.delete(name);
    complain(context, state, pool, gate.reason === 'SelectingAll' ? [selectingAllEvent] : []);
    return done;
  }
  // It may just not have come to us yet, or is being made anew; only what goes on is worth a word.
  const nowMs = context.env.clock.monotonic();
  const sinceMs = state.missingSinceMs.get(name) ?? nowMs;
  state.missingSinceMs.set(name, sinceMs);
  const isOld = nowMs - sinceMs >= MISSING_PATIENCE_MS;
  complain(context, state, pool, isOld ? [missingConfigEvent(gate.message)] : []);
  return after(MISSING_PATIENCE_MS, 'for the rendered config');
}

/** What is wrong with the pool itself, or keeps one of its nodes back. */
function complain(
  context: Context,
  { complaints }: State,
  pool: MachineConfigPool,
  events: readonly RolloutEvent[],
): void {
  const selector = nodeSelectorProblem(pool);
  const all = [...(selector === undefined ? [] : [specEvent(selector)]), ...events];
  const recorder = context.eventsOf(ROLLOUT_COMPONENT);
  for (const event of complaints.news(pool.metadata.name, all)) record(recorder, subjectOf(pool), event);
}

/** What the control plane and its arbiter have to know of each other. */
function neighbours({ controllerConfigs, pools }: NodeSources, books: PoolBooks, name: string) {
  const infra = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })?.spec.infra;
  const topology = infra?.status?.controlPlaneTopology ?? '';
  if (name !== MASTER && name !== ARBITER) return { topology };
  const masters = books.tally(MASTER);
  const arbiters = books.tally(ARBITER);
  return {
    topology,
    ...(masters === undefined
      ? {}
      : {
          master: {
            isPaused: pools.get({ name: MASTER })?.spec.paused === true,
            unavailable: masters.standing.unavailable,
            candidates: [...masters.standing.candidates].length,
          },
        }),
    ...(arbiters === undefined ? {} : { arbiter: { unavailable: arbiters.standing.unavailable } }),
  };
}
