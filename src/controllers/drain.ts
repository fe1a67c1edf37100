/**
 * Drain: empties nodes that ask for it and puts them back into service, as `drainStep` decides.
 *
 *     node.desiredDrain, pods, budgets ──> drainStep() ──> cordon, evictions, node.lastAppliedDrain, millwright.dev/drain
 *
 * Each pass carries out one step and looks again. All that must survive a restart stands on the node.
 */

import {
  after,
  type Cache,
  type Controller,
  done,
  type EventSubject,
  KubeError,
  type Next,
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
  type DrainRefusal,
  type DrainStep,
  drainState,
  drainStep,
  type EvictionReport,
  evictionReport,
  hasDrainChanged,
  isDrainPending,
  isLastOpenNode,
  nodePatch,
  type PodReference,
  ROLLOUT_COMPONENT,
  type RolloutEvent,
  relaxedPods,
  type WaitingPod,
} from '../rollout/index.ts';
import type { Context } from './context.ts';
import { DrainingPods } from './draining-pods.ts';
import { nodesOf } from './node-cache.ts';
import { record } from './rollout-events.ts';

/** Several nodes drain at once; each pass is short. */
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
  const seen: Seen = { nodes, nodeCount: countOf(nodes), pods, daemonSets, budgets, cordoning: new Set() };
  return {
    name: 'drain',
    workers: WORKERS,
    caches: [nodes, daemonSets, budgets],
    watch(enqueue) {
      nodes.onChange(({ before, after: next }) => {
        const { name } = (next ?? before)?.metadata ?? { name: '' };
        if (next?.spec.unschedulable === true || next === undefined) seen.cordoning.delete(name);
        if (next === undefined || !isDrainPending(next)) pods.leave(name);
        if (next !== undefined && hasDrainChanged(before, next)) enqueue(name);
      });
      // A pod that has gone may be what a drain waits for.
      pods.onChange((node) => enqueue(node));
      budgets.onChange((change) => {
        const namespace = (change.after ?? change.before)?.metadata.namespace ?? '';
        for (const { node, pod } of relaxedPods(change, () => waitingPods(seen, namespace))) {
          if (pods.relax(pod)) enqueue(node);
        }
      });
    },
    reconcile: (name) => drainNode(context, seen, name),
  };
}

type Seen = {
  readonly nodes: Cache<Node>;
  readonly nodeCount: () => number;
  readonly pods: DrainingPods;
  readonly daemonSets: Cache<DaemonSet>;
  readonly budgets: Cache<PodDisruptionBudget>;
  /** Nodes whose cordon is on its way. */
  readonly cordoning: Set<string>;
};

/** Followed rather than counted: every step of every drain asks. */
function countOf(nodes: Cache<Node>): () => number {
  let count = 0;
  nodes.onChange(({ before, after: next }) => {
    count += Number(next !== undefined) - Number(before !== undefined);
  });
  return () => count;
}

/** The pods of the namespace that were refused, or of which a node says so since before we came. */
function* waitingPods(
  { nodes, pods }: Seen,
  namespace: string,
): Generator<WaitingPod & { readonly node: string }> {
  for (const name of pods.nodes()) {
    const node = nodes.get({ name });
    const { beganMs, lastRefusal } = (node && drainState(node).record) ?? {};
    if (beganMs === undefined) continue;
    for (const pod of pods.on(name) ?? []) {
      if (pod.metadata.namespace !== namespace) continue;
      const isTold = lastRefusal?.namespace === namespace && lastRefusal.pod === pod.metadata.name;
      const isRefused = isTold || pods.refusals.has(pod.metadata.uid ?? '');
      if (isRefused) yield { node: name, pod, sinceMs: beganMs };
    }
  }
}

async function drainNode(context: Context, seen: Seen, name: string): Promise<Next> {
  const cached = seen.nodes.get({ name });
  if (cached === undefined) return done;
  // Only the server's own books tell whose a cordon is, and caches do not keep them.
  const node = drainState(cached).isPending ? await context.kube.get(nodeKind, { name }) : cached;
  if (node === undefined) return done;
  const step = stepFor(context, seen, node);
  switch (step.kind) {
    case 'idle':
      return done;
    case 'refuse':
      context.env.log.warn('a node asks for what is not known', { node: name, message: step.message });
      return done;
    case 'wait':
      return after(step.delayMs, step.why);
    case 'evict':
      return evict(context, seen, { node, pods: step.pods, delayMs: step.delayMs });
    case 'cordon':
      return cordon(context, seen, { node, step });
    default:
      return carryOut(context, seen, { node, step });
  }
}

/** How soon it is looked again whether another node is back in service. */
const LAST_NODE_MS = 1_000;

async function cordon(context: Context, seen: Seen, carrying: Carrying): Promise<Next> {
  const { name } = carrying.node.metadata;
  if (isLastOpenNode(name, seen.nodes.all(), seen.cordoning)) {
    return after(LAST_NODE_MS, 'the last node that takes pods waits until another one is back');
  }
  seen.cordoning.add(name);
  try {
    return await carryOut(context, seen, carrying);
  } catch (error) {
    seen.cordoning.delete(name);
    throw error;
  }
}

function stepFor({ env, settings }: Context, seen: Seen, node: Node): DrainStep {
  return drainStep({
    node,
    pods: isDrainPending(node) ? seen.pods.on(node.metadata.name) : [],
    daemonSetExists: (place) => seen.daemonSets.get(place) !== undefined,
    nodeCount: seen.nodeCount(),
    nowMs: env.clock.now(),
    settings: settings.drain,
    fieldManager: DRAIN_FIELD_MANAGER,
    refusals: seen.pods.refusals,
  });
}

type WriteStep = Exclude<DrainStep, { readonly kind: 'idle' | 'refuse' | 'wait' | 'evict' }>;
type Carrying = { readonly node: Node; readonly step: WriteStep };

async function carryOut(context: Context, seen: Seen, { node, step }: Carrying): Promise<Next> {
  const { kube, env } = context;
  const place = { name: node.metadata.name };
  // An answer is not taken back: the pods that it speaks of are asked for once more, at the server itself.
  if (step.kind === 'complete' && (await hasPodsLeft(context, seen, node)))
    return after(1000, 'for pods to be seen');
  const patch = { type: 'merge', body: nodePatch(node, step.change) } as const;
  await kube.patch(nodeKind, place, patch, { fieldManager: DRAIN_FIELD_MANAGER });
  env.log.info('drain', { node: place.name, step: step.kind, message: step.message });
  tell(context, node, step.events);
  return done;
}

/** A pod that was bound just before the cordon may not be in the cache yet. */
async function hasPodsLeft({ kube, env, settings }: Context, seen: Seen, node: Node): Promise<boolean> {
  const { name } = node.metadata;
  const { items } = await kube.list(podKind, { fieldSelector: `spec.nodeName=${name}` });
  const step = drainStep({
    node,
    pods: items,
    daemonSetExists: (place) => seen.daemonSets.get(place) !== undefined,
    nodeCount: Number.POSITIVE_INFINITY,
    nowMs: env.clock.now(),
    settings: settings.drain,
    fieldManager: DRAIN_FIELD_MANAGER,
  });
  return step.kind !== 'complete';
}

type Round = { readonly node: Node; readonly pods: readonly PodReference[]; readonly delayMs: number };

async function evict(context: Context, seen: Seen, { node, pods, delayMs }: Round): Promise<Next> {
  const outcomes = await Promise.allSettled(pods.map((pod) => evictPod(context, seen, { node, pod })));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const report = evictionReport(node, refusals);
  if (report !== undefined) await tellRefusal(context, seen, { node, pods, report });
  // Whatever goes wrong with one pod must not keep the others, nor what is said of them.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return after(delayMs, 'for pods to end');
}

type Report = Pick<Round, 'node' | 'pods'> & { readonly report: EvictionReport };

async function tellRefusal(context: Context, seen: Seen, { node, pods, report }: Report): Promise<void> {
  const patch = { type: 'merge', body: nodePatch(node, report.change) } as const;
  try {
    await context.kube.patch(nodeKind, { name: node.metadata.name }, patch, {
      fieldManager: DRAIN_FIELD_MANAGER,
    });
  } catch (error) {
    // What nobody has heard was not said: the pods are asked again, at once, rather than after a while.
    for (const pod of pods) seen.pods.granted(pod);
    throw error;
  }
  tell(context, node, report.events);
}

/** One refusal, or none. Rejects where the server gave no answer. */
async function evictPod(
  { kube, env }: Context,
  seen: Seen,
  { node, pod }: { readonly node: Node; readonly pod: PodReference },
): Promise<readonly DrainRefusal[]> {
  const { namespace, name, uid } = pod;
  const refused = (message: string): readonly DrainRefusal[] => {
    seen.pods.refused(pod, env.clock.now());
    const known = seen.pods.get(node.metadata.name, { namespace, name });
    const budget =
      known === undefined ? undefined : budgetsOf(known, seen.budgets.by(BY_NAMESPACE, namespace));
    return [{ namespace, pod: name, ...(budget === undefined ? {} : { budget }), message }];
  };
  try {
    const eviction = await kube.evict({ namespace, name }, { uid });
    if (eviction.kind === 'refused') return refused(eviction.message);
    seen.pods.granted(pod);
    return [];
  } catch (error) {
    if (error instanceof KubeError) return refused(error.message);
    throw error;
  }
}

function tell(context: Context, { metadata }: Node, events: readonly RolloutEvent[]): void {
  const about: EventSubject = { apiVersion: 'v1', kind: nodeKind.kind, name: metadata.name };
  for (const event of events) record(context.eventsOf(ROLLOUT_COMPONENT), about, event);
}
