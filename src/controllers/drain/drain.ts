/**
 * Drain: cordons and drains nodes that request it, and uncordons them again, as `drainStep` decides.
 *
 *     node.desiredDrain, pods, budgets ──> drainStep() ──> cordon, evictions, node.lastAppliedDrain, millwright.dev/drain
 *
 * Each reconcile carries out one step. Everything that must survive a restart is on the node.
 */

import { assert, errorText } from '../../base/errors.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  isConflict,
  KubeError,
  type Next,
} from '../../kubernetes/client/index.ts';
import {
  type DaemonSet,
  daemonSet as daemonSetKind,
  type Node,
  node as nodeKind,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudget as podDisruptionBudgetKind,
} from '../../kubernetes/types/index.ts';
import {
  budgetsOf,
  cordonFailure,
  DRAIN_FIELD_MANAGER,
  type DrainRefusal,
  type DrainStep,
  drainState,
  drainStep,
  type EvictionReport,
  evictionReport,
  hasDrainChanged,
  isDrainPending,
  isLastSchedulableNode,
  type NodeChange,
  nodePatch,
  type PodReference,
  quorumProblem,
  type RolloutEvent,
  relaxedPods,
  type WaitingPod,
} from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import { forgetDrains, noteDrainAnswered } from '../metrics/sub-controller-state.ts';
import { nodesOf } from '../node-cache.ts';
import { nodeSubject, record } from '../rollout-events.ts';
import { WarningEvents } from '../warning-events.ts';
import { CordonFailures } from './cordon-failures.ts';
import { DrainingNodes } from './draining-nodes.ts';
import { DrainingPods } from './draining-pods.ts';

/** As many as are sent at once. Several nodes drain at once; each reconcile is short. */
const WORKERS = 25;
const BY_NAMESPACE = 'namespace';

export function createDrainController(context: Context): Controller {
  const { caches } = context;
  const nodes = nodesOf(caches);
  const daemonSets = caches.of(daemonSetKind);
  const budgets = caches.of(podDisruptionBudgetKind, {
    indexes: { [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''] },
  });
  const pods = new DrainingPods(caches, context.kube);
  const sources: DrainSources = {
    nodes: new DrainingNodes(nodes, context.env.clock),
    cordonFailures: new CordonFailures(),
    warnings: new WarningEvents(context.env.clock),
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
        if (next === undefined) forgetDrains(context, name);
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
    reconcile: async (name) => {
      try {
        return await drainNode(context, sources, name);
      } catch (error) {
        if (!isConflict(error)) throw error;
        sources.nodes.markOutdated(name);
        return after(CONFLICT_RETRY_MS, 'the node has changed since it was read');
      }
    },
  };
}

/** The next attempt reads the node from the server. */
const CONFLICT_RETRY_MS = 100;

type DrainSources = {
  readonly nodes: DrainingNodes;
  readonly cordonFailures: CordonFailures;
  readonly warnings: WarningEvents;
  readonly pods: DrainingPods;
  readonly daemonSets: Cache<DaemonSet>;
  readonly budgets: Cache<PodDisruptionBudget>;
};

/** The pods of the namespace whose eviction was refused, by us or according to the record of a node. */
function* waitingPods(
  { nodes, pods }: DrainSources,
  namespace: string,
): Generator<WaitingPod & { readonly node: string }> {
  for (const name of pods.nodes()) {
    const node = nodes.cached(name);
    const { beganMs, lastRefusal } = (node && drainState(node).record) ?? {};
    if (beganMs === undefined) continue;
    for (const pod of pods.on(name)?.items ?? []) {
      if (pod.metadata.namespace !== namespace) continue;
      const isRecorded = lastRefusal?.namespace === namespace && lastRefusal.pod === pod.metadata.name;
      const isRefused = isRecorded || pods.refusals.has(pod.metadata.uid ?? '');
      if (isRefused) yield { node: name, pod, sinceMs: beganMs };
    }
  }
}

async function drainNode(context: Context, sources: DrainSources, name: string): Promise<Next> {
  const known = await sources.nodes.read(context.kube, name);
  if (known === undefined) return done;
  const { node, step } = await confirmed(context, sources, {
    node: known,
    step: await nextStep(context, sources, known),
  });
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
    case 'begin':
      return begin(context, sources, { node, step });
    case 'uncordon':
      return writeCordon(context, sources, { node, step });
    default:
      return carryOut(context, sources, { node, step });
  }
}

/** The delay until the last schedulable node is reconciled again. */
const LAST_NODE_RETRY_MS = 1_000;

async function begin(context: Context, sources: DrainSources, write: NodeWrite): Promise<Next> {
  const { nodes } = sources;
  const { node, step } = write;
  const { name } = node.metadata;
  if (step.kind === 'cordon' && isLastSchedulableNode(name, nodes.all(), nodes.cordoning())) {
    return after(LAST_NODE_RETRY_MS, 'the last schedulable node waits until another one is uncordoned');
  }
  const message = quorumProblem(node, nodes.all(), nodes.cordoning());
  const warnings = message === undefined ? [] : [deferredEvent(message)];
  recordEvents(context, node, sources.warnings.due(name, warnings));
  if (message !== undefined) return after(context.settings.drain.evictionRetryMs, message);
  // Before the write: another worker may check at the same time.
  nodes.beginCordon(name);
  try {
    return await (step.kind === 'cordon' ? writeCordon : carryOut)(context, sources, write);
  } catch (error) {
    if (error instanceof KubeError) nodes.cancelCordon(name);
    throw error;
  }
}

/** The message is that of `quorumProblem`. */
function deferredEvent(message: string): RolloutEvent {
  return { type: 'Warning', reason: 'DrainDeferred', message, isAdditional: true };
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
    sources.nodes.cancelCordon(name);
    const failure = { error: errorText(error), tries, nowMs: context.env.clock.now() };
    const report = cordonFailure(node, failure);
    if (report !== undefined) {
      context.env.log.error('drain', { node: name, step: write.step.kind, error: failure.error });
      await writeReport(context, sources, node, report);
    }
    return after(context.settings.drain.retryMs, 'it could not be cordoned or uncordoned');
  }
}

async function writeReport(
  context: Context,
  { nodes }: DrainSources,
  node: Node,
  { change, events }: EvictionReport,
): Promise<void> {
  nodes.record(await patchNode(context, node, change));
  recordEvents(context, node, events);
}

async function patchNode({ kube }: Context, node: Node, change: NodeChange): Promise<Node> {
  const patch = { type: 'merge', body: nodePatch(node, change) } as const;
  const options = { fieldManager: DRAIN_FIELD_MANAGER };
  return await kube.patch(nodeKind, { name: node.metadata.name }, patch, options);
}

/** With the pods listed where that is needed. */
type NextStep = Exclude<DrainStep, { readonly kind: 'list' }>;
type Decision = { readonly node: Node; readonly step: NextStep };

/** Pods are evicted only for what the server confirmed recently: an eviction cannot name the version of the node. */
async function confirmed(context: Context, sources: DrainSources, decision: Decision): Promise<Decision> {
  const { name } = decision.node.metadata;
  if (decision.step.kind !== 'evict' || sources.nodes.isFresh(name)) return decision;
  const node = await sources.nodes.readLive(context.kube, name);
  if (node === undefined) return { node: decision.node, step: { kind: 'idle' } };
  return { node, step: await nextStep(context, sources, node) };
}

/** Lists the pods of the node where the step depends on them; where some are left they are followed from then on. */
async function nextStep(context: Context, sources: DrainSources, node: Node): Promise<NextStep> {
  const { name, resourceVersion = '' } = node.metadata;
  const followed = sources.pods.on(name);
  const step = stepFor(context, sources, node, followed);
  if (step.kind !== 'list') return step;
  const listed = await sources.pods.list(name);
  const next = stepFor(context, sources, node, { items: listed.items });
  assert(next.kind !== 'list', 'a list from now is not outdated');
  if (next.kind !== 'complete') sources.pods.follow(name, listed, resourceVersion);
  return next;
}

type KnownPods = { readonly items: Iterable<Pod>; readonly atVersion?: string };

function stepFor(
  { env, settings }: Context,
  sources: DrainSources,
  node: Node,
  pods: KnownPods | undefined,
): DrainStep {
  return drainStep({
    node,
    pods: pods?.items,
    ...(pods?.atVersion === undefined ? {} : { listedAtVersion: pods.atVersion }),
    daemonSetExists: (place) => sources.daemonSets.get(place) !== undefined,
    nodeCount: sources.nodes.count,
    nowMs: env.clock.now(),
    settings: settings.drain,
    fieldManager: DRAIN_FIELD_MANAGER,
    refusals: sources.pods.refusals,
  });
}

type WriteStep = Exclude<NextStep, { readonly kind: 'idle' | 'refuse' | 'wait' | 'evict' }>;
type NodeWrite = { readonly node: Node; readonly step: WriteStep };

async function carryOut(context: Context, sources: DrainSources, { node, step }: NodeWrite): Promise<Next> {
  sources.nodes.record(await patchNode(context, node, step.change));
  // Upstream's lines, which runbooks search for.
  context.env.log.info(step.message);
  recordEvents(context, node, step.events);
  if (step.kind === 'complete') noteDrainAnswered(context, 'drain', node.metadata.name);
  if (step.kind === 'uncordon') noteDrainAnswered(context, 'uncordon', node.metadata.name);
  return done;
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
  const { env, settings } = context;
  const report = evictionReport(node, { refusals, nowMs: env.clock.now(), settings: settings.drain });
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
    await writeReport(context, sources, node, report);
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
    if (eviction.kind === 'gone') sources.pods.relist(node.metadata.name);
    return [];
  } catch (error) {
    if (error instanceof KubeError) return refused(error.message);
    throw error;
  }
}

function recordEvents(context: Context, node: Node, events: readonly RolloutEvent[]): void {
  for (const event of events) record(context, nodeSubject(node), event);
}
