/**
 * Drain: cordons and drains nodes that request it, and uncordons them again, as `drainStep` decides.
 *
 *     node.desiredDrain, pods, budgets ──> drainStep() ──> cordon, evictions, node.lastAppliedDrain, millwright.dev/drain
 *
 * Each reconcile carries out one step. Everything that must survive a restart is on the node.
 */

import { errorText } from '../base/errors.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type EventSubject,
  KubeError,
  type Next,
  OwnWrites,
} from '../kubernetes/client/index.ts';
import {
  type DaemonSet,
  daemonSet as daemonSetKind,
  type Node,
  node as nodeKind,
  type PodDisruptionBudget,
  podDisruptionBudget as podDisruptionBudgetKind,
  pod as podKind,
} from '../kubernetes/types/index.ts';
import {
  budgetsOf,
  cordonFailure,
  type DrainRefusal,
  type DrainStep,
  drainState,
  drainStep,
  type EvictionReport,
  evictionReport,
  hasDrainChanged,
  isDrainPending,
  isLastSchedulableNode,
  nodePatch,
  type PodReference,
  ROLLOUT_COMPONENT,
  type RolloutEvent,
  relaxedPods,
  type WaitingPod,
} from '../rollout/index.ts';
import type { Context } from './context.ts';
import { CordonFailures } from './cordon-failures.ts';
import { DrainingPods } from './draining-pods.ts';
import { nodesOf } from './node-cache.ts';
import { record } from './rollout-events.ts';

/** Several nodes drain at once; each reconcile is short. */
const WORKERS = 10;
const BY_NAMESPACE = 'namespace';
const DRAIN_FIELD_MANAGER = 'machine-config-controller-drain';

export function createDrainController(context: Context): Controller {
  const { caches } = context;
  const nodes = nodesOf(caches);
  const daemonSets = caches.of(daemonSetKind);
  const budgets = caches.of(podDisruptionBudgetKind, {
    indexes: { [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''] },
  });
  const pods = new DrainingPods(caches);
  const sources: DrainSources = {
    nodes,
    ownNodes: new OwnWrites(nodes),
    cordonFailures: new CordonFailures(),
    nodeCount: countOf(nodes),
    pods,
    daemonSets,
    budgets,
  };
  return {
    name: 'drain',
    workers: WORKERS,
    caches: [nodes, daemonSets, budgets],
    watch(enqueue) {
      nodes.onChange(({ before, after: next }) => {
        const { name } = (next ?? before)?.metadata ?? { name: '' };
        if (next === undefined || !isDrainPending(next)) pods.unfollow(name);
        if (next !== undefined && hasDrainChanged(before, next)) enqueue(name);
      });
      // A drain may be waiting for the pod that has gone.
      pods.onChange((node) => enqueue(node));
      budgets.onChange((change) => {
        const namespace = (change.after ?? change.before)?.metadata.namespace ?? '';
        for (const { node, pod } of relaxedPods(change, () => waitingPods(sources, namespace))) {
          if (pods.relax(pod)) enqueue(node);
        }
      });
    },
    reconcile: (name) => drainNode(context, sources, name),
  };
}

type DrainSources = {
  readonly nodes: Cache<Node>;
  /** The nodes with our cordons, also those that are being written. */
  readonly ownNodes: OwnWrites<Node>;
  readonly cordonFailures: CordonFailures;
  readonly nodeCount: () => number;
  readonly pods: DrainingPods;
  readonly daemonSets: Cache<DaemonSet>;
  readonly budgets: Cache<PodDisruptionBudget>;
};

/** Counted incrementally: every step of every drain needs it. */
function countOf(nodes: Cache<Node>): () => number {
  let count = 0;
  nodes.onChange(({ before, after: next }) => {
    count += Number(next !== undefined) - Number(before !== undefined);
  });
  return () => count;
}

/** The pods of the namespace whose eviction was refused, by us or according to the record of a node. */
function* waitingPods(
  { nodes, pods }: DrainSources,
  namespace: string,
): Generator<WaitingPod & { readonly node: string }> {
  for (const name of pods.nodes()) {
    const node = nodes.get({ name });
    const { beganMs, lastRefusal } = (node && drainState(node).record) ?? {};
    if (beganMs === undefined) continue;
    for (const pod of pods.on(name) ?? []) {
      if (pod.metadata.namespace !== namespace) continue;
      const isRecorded = lastRefusal?.namespace === namespace && lastRefusal.pod === pod.metadata.name;
      const isRefused = isRecorded || pods.refusals.has(pod.metadata.uid ?? '');
      if (isRefused) yield { node: name, pod, sinceMs: beganMs };
    }
  }
}

async function drainNode(context: Context, sources: DrainSources, name: string): Promise<Next> {
  const cached = sources.nodes.get({ name });
  if (cached === undefined) return done;
  const { ownNodes } = sources;
  // Who set a cordon is only in `managedFields`, which caches do not keep.
  const isLive = drainState(cached).isPending || ownNodes.isUnconfirmed({ name });
  const node = isLive ? await context.kube.get(nodeKind, { name }) : cached;
  if (node === undefined) return done;
  if (isLive) ownNodes.record(node);
  const step = stepFor(context, sources, node);
  switch (step.kind) {
    case 'idle':
      return done;
    case 'refuse':
      context.env.log.warn(step.message);
      return done;
    case 'wait':
      return after(step.delayMs, step.why);
    case 'evict':
      return evict(context, sources, { node, pods: step.pods, delayMs: step.delayMs });
    case 'cordon':
      return cordon(context, sources, { node, step });
    case 'uncordon':
      return writeCordon(context, sources, { node, step });
    default:
      return carryOut(context, sources, { node, step });
  }
}

/** The delay until the last schedulable node is reconciled again. */
const LAST_NODE_RETRY_MS = 1_000;

async function cordon(context: Context, sources: DrainSources, write: NodeWrite): Promise<Next> {
  const { ownNodes } = sources;
  const { name } = write.node.metadata;
  const cordoning = new Set(ownNodes.unconfirmed().map((place) => place.name));
  if (isLastSchedulableNode(name, ownNodes.all(), cordoning)) {
    return after(LAST_NODE_RETRY_MS, 'the last schedulable node waits until another one is uncordoned');
  }
  // Before the write: another worker may check at the same time.
  ownNodes.markUnconfirmed({ name });
  try {
    return await writeCordon(context, sources, write);
  } catch (error) {
    if (error instanceof KubeError) ownNodes.forget({ name });
    throw error;
  }
}

async function writeCordon(context: Context, sources: DrainSources, write: NodeWrite): Promise<Next> {
  const { node } = write;
  const { name } = node.metadata;
  try {
    const next = await carryOut(context, sources, write);
    sources.cordonFailures.succeeded(node);
    return next;
  } catch (error) {
    const tries = sources.cordonFailures.triesToReport(node, error);
    if (tries === undefined) throw error;
    sources.ownNodes.forget({ name });
    const failure = { error: errorText(error), tries, nowMs: context.env.clock.now() };
    const report = cordonFailure(node, failure);
    if (report !== undefined) {
      context.env.log.error('drain', { node: name, step: write.step.kind, error: failure.error });
      await writeReport(context, node, report);
    }
    return after(context.settings.drain.retryMs, 'it could not be cordoned or uncordoned');
  }
}

async function writeReport(context: Context, node: Node, { change, events }: EvictionReport): Promise<void> {
  const patch = { type: 'merge', body: nodePatch(node, change) } as const;
  const options = { fieldManager: DRAIN_FIELD_MANAGER };
  await context.kube.patch(nodeKind, { name: node.metadata.name }, patch, options);
  recordEvents(context, node, events);
}

function stepFor({ env, settings }: Context, sources: DrainSources, node: Node): DrainStep {
  return drainStep({
    node,
    pods: isDrainPending(node) ? sources.pods.on(node.metadata.name) : [],
    daemonSetExists: (place) => sources.daemonSets.get(place) !== undefined,
    nodeCount: sources.nodeCount(),
    nowMs: env.clock.now(),
    settings: settings.drain,
    fieldManager: DRAIN_FIELD_MANAGER,
    refusals: sources.pods.refusals,
  });
}

type WriteStep = Exclude<DrainStep, { readonly kind: 'idle' | 'refuse' | 'wait' | 'evict' }>;
type NodeWrite = { readonly node: Node; readonly step: WriteStep };

async function carryOut(context: Context, sources: DrainSources, { node, step }: NodeWrite): Promise<Next> {
  const { kube, env } = context;
  const place = { name: node.metadata.name };
  // An answer cannot be withdrawn: before it the pods are listed once more from the server.
  if (step.kind === 'complete' && (await hasPodsLeft(context, sources, node)))
    return after(1000, 'pods are not in the cache yet');
  const patch = { type: 'merge', body: nodePatch(node, step.change) } as const;
  const written = await kube.patch(nodeKind, place, patch, { fieldManager: DRAIN_FIELD_MANAGER });
  sources.ownNodes.record(written);
  // Upstream's lines, which runbooks search for.
  env.log.info(step.message);
  recordEvents(context, node, step.events);
  return done;
}

/** A pod that was bound just before the cordon may not be in the cache yet. */
async function hasPodsLeft(
  { kube, env, settings }: Context,
  sources: DrainSources,
  node: Node,
): Promise<boolean> {
  const { name } = node.metadata;
  const { items } = await kube.list(podKind, { fieldSelector: `spec.nodeName=${name}` });
  const step = drainStep({
    node,
    pods: items,
    daemonSetExists: (place) => sources.daemonSets.get(place) !== undefined,
    nodeCount: Number.POSITIVE_INFINITY,
    nowMs: env.clock.now(),
    settings: settings.drain,
    fieldManager: DRAIN_FIELD_MANAGER,
  });
  return step.kind !== 'complete';
}

type EvictionRound = {
  readonly node: Node;
  readonly pods: readonly PodReference[];
  readonly delayMs: number;
};

async function evict(
  context: Context,
  sources: DrainSources,
  { node, pods, delayMs }: EvictionRound,
): Promise<Next> {
  const outcomes = await Promise.allSettled(pods.map((pod) => evictPod(context, sources, { node, pod })));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const report = evictionReport(node, refusals);
  if (report !== undefined) await reportRefusal(context, sources, { node, pods, report });
  // A failure of one pod must not affect the others, nor the report about them.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return after(delayMs, 'pods are terminating');
}

type RefusalReport = Pick<EvictionRound, 'node' | 'pods'> & { readonly report: EvictionReport };

async function reportRefusal(
  context: Context,
  sources: DrainSources,
  { node, pods, report }: RefusalReport,
): Promise<void> {
  try {
    await writeReport(context, node, report);
  } catch (error) {
    // The refusal is not recorded: evict again at once rather than after the delay, to report it then.
    for (const pod of pods) sources.pods.granted(pod);
    throw error;
  }
}

/** The refusal, if any. Rejects where the server gave no answer. */
async function evictPod(
  { kube, env }: Context,
  sources: DrainSources,
  { node, pod }: { readonly node: Node; readonly pod: PodReference },
): Promise<readonly DrainRefusal[]> {
  const { namespace, name, uid } = pod;
  const refused = (message: string): readonly DrainRefusal[] => {
    sources.pods.refused(pod, env.clock.now());
    const known = sources.pods.get(node.metadata.name, { namespace, name });
    const budget =
      known === undefined ? undefined : budgetsOf(known, sources.budgets.by(BY_NAMESPACE, namespace));
    return [{ namespace, pod: name, ...(budget === undefined ? {} : { budget }), message }];
  };
  try {
    const eviction = await kube.evict({ namespace, name }, { uid });
    if (eviction.kind === 'refused') return refused(eviction.message);
    sources.pods.granted(pod);
    return [];
  } catch (error) {
    if (error instanceof KubeError) return refused(error.message);
    throw error;
  }
}

function recordEvents(context: Context, { metadata }: Node, events: readonly RolloutEvent[]): void {
  const about: EventSubject = { apiVersion: 'v1', kind: nodeKind.kind, name: metadata.name };
  for (const event of events) record(context.eventsOf(ROLLOUT_COMPONENT), about, event);
}
