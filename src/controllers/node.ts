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
 * server confirmed it, whatever older news of them arrive later: otherwise more nodes than allowed could be sent.
 */
import {
  apiVersionOf,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfig,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  type OSImageStream,
  osImageStream as osImageStreamKind,
} from '../api/index.ts';
import { type Node, node as nodeKind, type Pod, pod as podKind } from '../builtin/index.ts';
import { jsonEqual } from '../json.ts';
import {
  after,
  type Cache,
  type Change,
  type Controller,
  done,
  type Enqueue,
  type EventSubject,
  type Next,
} from '../kube/index.ts';
import {
  annotationEvents,
  type Choice,
  chooseTargets,
  conflictEvent,
  deferralEvent,
  desiredAnnotations,
  type Layering,
  layeringOf,
  maxUnavailable,
  membershipOf,
  NO_SELECTION,
  type PoolTally,
  poolGate,
  poolStatus,
  type Relabelling,
  ROLLOUT_COMPONENT,
  type RolloutEvent,
  relabellingOf,
  selectCandidates,
  selectingAllEvent,
  specEvent,
  statusEvents,
  streamOf,
  taintsFor,
  targetingEvent,
  targetOf,
} from '../rollout/index.ts';
import { type Context, NAMESPACE } from './context.ts';
import { CONTROLLER_CONFIG_NAME } from './controller-config-status.ts';
import { PoolBooks } from './pool-books.ts';

/** Taints follow the targeting; so many are written before the pool is looked at again. */
const TAINTS_PER_PASS = 20;
const OPERATOR_PODS = 'k8s-app=machine-config-operator';
const CLUSTER = 'cluster';

export function createNodeController(context: Context): Controller {
  const { caches } = context;
  const seen: Seen = {
    pools: caches.of(machineConfigPoolKind),
    nodes: caches.of(nodeKind),
    machineConfigNodes: caches.of(machineConfigNodeKind),
    machineConfigs: caches.of(machineConfigKind),
    controllerConfigs: caches.of(controllerConfigKind),
    streams: caches.of(osImageStreamKind),
    osConfigs: caches.of(machineOSConfigKind),
    osBuilds: caches.of(machineOSBuildKind),
    operatorPods: caches.of(podKind, { namespace: NAMESPACE, labelSelector: OPERATOR_PODS }),
  };
  const books = new PoolBooks(seen);
  return {
    name: 'node',
    workers: 2,
    caches: Object.values(seen),
    watch: (enqueue) => watchWorld(context, seen, { books, enqueue }),
    reconcile: (name) => syncPool(context, seen, { books, name }),
  };
}

type Seen = {
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly machineConfigs: Cache<MachineConfig>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly streams: Cache<OSImageStream>;
  readonly osConfigs: Cache<MachineOSConfig>;
  readonly osBuilds: Cache<MachineOSBuild>;
  readonly operatorPods: Cache<Pod>;
};

type Watching = { readonly books: PoolBooks; readonly enqueue: Enqueue };

function watchWorld(context: Context, seen: Seen, { books, enqueue }: Watching): void {
  const { pools, nodes, machineConfigNodes, controllerConfigs, streams, osConfigs, osBuilds } = seen;
  const look = (names: Iterable<string>) => {
    for (const name of names) enqueue(name);
  };
  const lookAtAll = () => look([...pools.all()].map(({ metadata }) => metadata.name));
  pools.onChange((change) => look(books.onPool(change)));
  nodes.onChange((change) => {
    look(books.onNode(change));
    tellOfNode(context, seen, change);
  });
  machineConfigNodes.onChange((change) => look(books.onMachineConfigNode(change)));
  controllerConfigs.onChange(({ before, after: next }) => {
    if (!jsonEqual(before?.spec.infra, next?.spec.infra) || !jsonEqual(before?.status, next?.status))
      lookAtAll();
  });
  streams.onChange(lookAtAll);
  osConfigs.onChange(lookAtAll);
  osBuilds.onChange(lookAtAll);
}

/** What is told of a node itself: moves of the control plane, and pools that fight over it. */
function tellOfNode(context: Context, { pools }: Seen, { before, after: next }: Change<Node>): void {
  if (next === undefined) return;
  const membership = membershipOf(next, pools.all());
  const events = context.eventsOf(ROLLOUT_COMPONENT);
  if (membership.kind === 'conflict') {
    const was = before === undefined ? undefined : membershipOf(before, pools.all());
    if (was?.kind === 'conflict' && was.message === membership.message) return;
    const event = conflictEvent(membership.message);
    record(events, { apiVersion: 'v1', kind: nodeKind.kind, name: next.metadata.name }, event);
    for (const pool of membership.pools) record(events, subjectOf(pool), event);
  }
  const isMaster = membership.kind === 'member' && membership.primary.metadata.name === 'master';
  if (!isMaster || before === undefined) return;
  for (const event of annotationEvents(before, next)) record(events, subjectOf(membership.primary), event);
}

type Syncing = { readonly books: PoolBooks; readonly name: string };

async function syncPool(context: Context, seen: Seen, { books, name }: Syncing): Promise<Next> {
  const pool = seen.pools.get({ name });
  const tally = books.tally(name);
  if (pool === undefined || tally === undefined) return done;
  const layering = layeringOf(pool, seen.osConfigs.all(), seen.osBuilds.all());
  tally.retarget(targetOf(pool, layering));
  const gate = poolGate({
    ...neighbours(seen, books, name),
    pool,
    ...(layering === undefined ? {} : { layering }),
  });
  const events = context.eventsOf(ROLLOUT_COMPONENT);
  if (gate.kind === 'closed' && gate.reason === 'SelectingAll')
    record(events, subjectOf(pool), selectingAllEvent);
  if (gate.kind === 'closed' && !gate.hasStatus) return done;
  const isOpen = gate.kind === 'open';
  if (isOpen) await sendNodes(context, seen, { books, pool, tally });
  await writeStatus(context, seen, { pool, tally, layering });
  return isOpen ? writeTaints(context, books, tally) : done;
}

/** The control plane and its arbiter wait for each other. */
function neighbours({ controllerConfigs, pools }: Seen, books: PoolBooks, name: string) {
  const infra = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })?.spec.infra;
  const topology = infra?.status?.controlPlaneTopology ?? '';
  if (name !== 'master' && name !== 'arbiter') return { topology };
  const masters = books.tally('master');
  const arbiters = books.tally('arbiter');
  return {
    topology,
    ...(masters === undefined
      ? {}
      : {
          master: {
            isPaused: pools.get({ name: 'master' })?.spec.paused === true,
            unavailable: masters.standing.unavailable,
            candidates: [...masters.standing.candidates].length,
          },
        }),
    ...(arbiters === undefined ? {} : { arbiter: { unavailable: arbiters.standing.unavailable } }),
  };
}

type Sending = { readonly books: PoolBooks; readonly pool: MachineConfigPool; readonly tally: PoolTally };

async function sendNodes(context: Context, seen: Seen, { books, pool, tally }: Sending): Promise<void> {
  const events = context.eventsOf(ROLLOUT_COMPONENT);
  const about = subjectOf(pool);
  const limit = maxUnavailable(pool, tally.counts.machineCount);
  for (const problem of limit.kind === 'invalid' ? limit.problems : limit.warnings) {
    record(events, about, specEvent(problem));
  }
  const selection = limit.kind === 'invalid' ? NO_SELECTION : selectCandidates(tally.standing, limit.value);
  const choice = choose(seen, pool, selection);
  if (choice.deferred !== undefined) record(events, about, deferralEvent(choice.deferred.name));
  for (const relabelling of choice.relabelled) await relabel(context, relabelling);
  const sent: string[] = [];
  try {
    for (const { name } of choice.chosen) {
      await sendNode(context, { books, tally, name });
      sent.push(name);
    }
  } finally {
    if (sent.length > 0) record(events, about, targetingEvent(sent, tally.target));
  }
}

function choose(seen: Seen, pool: MachineConfigPool, selection: Parameters<typeof chooseTargets>[0]): Choice {
  const operatorNodes = [...seen.operatorPods.all()].flatMap(({ spec }) => spec.nodeName ?? []);
  return chooseTargets(selection, {
    poolName: pool.metadata.name,
    operatorNodes,
    relabelling: (node) =>
      relabellingOf(node, {
        machineConfig: (name) => seen.machineConfigs.get({ name }),
        pool: (name) => seen.pools.get({ name }),
      }),
  });
}

async function relabel({ kube }: Context, { node, labels, annotations: marks }: Relabelling): Promise<void> {
  const body = { metadata: { labels, annotations: marks } };
  await kube.patch(nodeKind, { name: node }, { type: 'merge', body });
}

type SentNode = { readonly books: PoolBooks; readonly tally: PoolTally; readonly name: string };

/** The MachineConfigNode first: whoever looks sees where the node is to go before it goes. */
async function sendNode({ kube }: Context, { books, tally, name }: SentNode): Promise<void> {
  const { target } = tally;
  const desired = desiredAnnotations(target);
  const configVersion = { desired: target.layered?.config ?? target.config };
  const image = target.layered?.image ?? '';
  const spec = { configVersion, configImage: image === '' ? null : { desiredImage: image } };
  if (books.machineConfigNode(name) !== undefined) {
    await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body: { spec } });
  }
  const sent = await kube.patch(
    nodeKind,
    { name },
    { type: 'merge', body: { metadata: { annotations: desired } } },
  );
  books.onSent(sent);
}

async function writeTaints({ kube }: Context, books: PoolBooks, tally: PoolTally): Promise<Next> {
  const names = [...tally.staleTaints].sort();
  for (const name of names.slice(0, TAINTS_PER_PASS)) {
    const node = tally.contribution(name)?.node;
    const taints = node === undefined ? undefined : taintsFor(node, tally.target);
    if (node === undefined || taints === undefined) continue;
    // The list is written as a whole: with the version that was read nobody else's taint is lost.
    const metadata = { resourceVersion: node.metadata.resourceVersion };
    const body = { metadata, spec: { taints: taints.length === 0 ? null : taints } };
    books.onSent(await kube.patch(nodeKind, { name }, { type: 'merge', body }));
  }
  return names.length > TAINTS_PER_PASS ? after(0, 'more taints are to be written') : done;
}

type Told = {
  readonly pool: MachineConfigPool;
  readonly tally: PoolTally;
  readonly layering: Layering | undefined;
};

async function writeStatus(context: Context, seen: Seen, { pool, tally, layering }: Told): Promise<void> {
  const { kube, env } = context;
  const stream = streamOfPool(seen, pool);
  const certificates = seen.controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME })?.status
    ?.controllerCertificates;
  const status = poolStatus({
    pool,
    sum: tally,
    nowMs: env.clock.now(),
    ...(layering === undefined ? {} : { layering }),
    ...(certificates === undefined ? {} : { certificates }),
    ...(stream === undefined ? {} : { stream }),
  });
  if (jsonEqual(status, pool.status)) return;
  // A field that is not there any more has to be said so in a merge patch.
  const gone = Object.keys(pool.status ?? {}).filter((field) => !(field in status));
  const body = {
    metadata: { uid: pool.metadata.uid },
    status: { ...status, ...Object.fromEntries(gone.map((field) => [field, null])) },
  };
  await kube.patch(
    machineConfigPoolKind,
    { name: pool.metadata.name },
    { type: 'merge', body },
    { subresource: 'status' },
  );
  for (const event of statusEvents(pool, status)) {
    record(context.eventsOf(ROLLOUT_COMPONENT), subjectOf(pool), event);
  }
}

function streamOfPool({ machineConfigs, streams }: Seen, { spec }: MachineConfigPool): string | undefined {
  const cluster = streams.get({ name: CLUSTER });
  if (cluster === undefined) return undefined;
  const rendered = machineConfigs.get({ name: spec.configuration?.name ?? '' });
  const sources = (spec.configuration?.source ?? []).flatMap(
    ({ name = '' }) => machineConfigs.get({ name }) ?? [],
  );
  return streamOf(rendered, sources, cluster);
}

function record(
  events: ReturnType<Context['eventsOf']>,
  about: EventSubject,
  { type, reason, message }: RolloutEvent,
): void {
  if (type === 'Warning') events.warning(about, reason, message);
  else events.normal(about, reason, message);
}

function subjectOf({ metadata }: MachineConfigPool): EventSubject {
  const { name, uid } = metadata;
  const about = { apiVersion: apiVersionOf(machineConfigPoolKind), kind: machineConfigPoolKind.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
