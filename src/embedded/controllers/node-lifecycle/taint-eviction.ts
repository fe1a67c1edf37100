/**
 * Taint eviction: deletes pods that do not tolerate a NoExecute taint of their node, or no longer.
 */

import { jsonEqual } from '../../../base/json.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type EventRecorder,
  type Next,
} from '../../../kubernetes/client/index.ts';
import {
  type Node,
  node as nodeResource,
  type Pod,
  pod as podResource,
} from '../../../kubernetes/types/index.ts';
import { aboutPod, byNode, type NodeContext } from '../node-context.ts';
import { keyOf, keyOfObject } from '../object-keys.ts';
import { isActive } from '../workloads/pod-state.ts';
import { carryOut, updateStatus } from '../writes.ts';
import { withDisruption } from './disruption-target.ts';
import { noExecuteTaints, remainingTolerationMs } from './toleration-seconds.ts';

const DISRUPTION = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

type EvictionContext = Pick<NodeContext, 'kube' | 'env' | 'pauses'> & {
  readonly nodes: Cache<Node>;
  readonly pods: Cache<Pod>;
  /** When each taint of a node was first observed, for taints without timeAdded. */
  readonly taintedSince: Map<string, ReadonlyMap<string, number>>;
  /** Pods with a scheduled eviction, by node. */
  readonly scheduled: Map<string, ReadonlyMap<string, Pod>>;
  readonly recorder: EventRecorder;
};

export function createTaintEviction({ kube, env, caches, events, pauses }: NodeContext): Controller {
  const nodes = caches.of(nodeResource);
  const pods = caches.of(podResource, { indexes: byNode });
  const context: EvictionContext = {
    kube,
    env,
    pauses,
    nodes,
    pods,
    taintedSince: new Map(),
    scheduled: new Map(),
    recorder: events('taint-eviction-controller'),
  };
  return {
    name: 'taint-eviction',
    workers: 8,
    caches: [nodes, pods],
    watch(enqueue) {
      nodes.onChange(({ before, after: now }) => {
        const name = (now ?? before)?.metadata.name ?? '';
        const isRelevant = !jsonEqual(before && noExecuteTaints(before), now && noExecuteTaints(now));
        if (isRelevant) enqueue(name);
      });
      pods.onChange(({ before, after: now }) => {
        const { nodeName = '', tolerations } = now?.spec ?? {};
        const node = nodeName === '' ? undefined : nodes.get({ name: nodeName });
        if (node === undefined || noExecuteTaints(node).length === 0) return;
        const isRelevant =
          before?.spec.nodeName !== nodeName || !jsonEqual(before.spec.tolerations, tolerations);
        if (isRelevant) enqueue(nodeName);
      });
    },
    reconcile: (name) => reconcile(context, name),
  };
}

async function reconcile(context: EvictionContext, name: string): Promise<Next> {
  const { env, nodes, pods, taintedSince, pauses } = context;
  const node = nodes.get({ name });
  const since = node === undefined ? undefined : observeTaints(context, node);
  if (node === undefined || since === undefined || since.size === 0) {
    taintedSince.delete(name);
    updateScheduled(context, name, new Map());
    return done;
  }
  const tolerating = new Map<string, Pod>();
  let shortestMs = Number.POSITIVE_INFINITY;
  for (const pod of pods.by('node', name).filter(isActive)) {
    const times = { since, nowMs: env.clock.now(), missedSinceMs: (ms: number) => pauses.missedSinceMs(ms) };
    const leftMs = remainingTolerationMs(pod, node, times);
    if (leftMs <= 0) await evict(context, pod);
    if (Number.isFinite(leftMs)) tolerating.set(pod.metadata.uid ?? '', pod);
    if (leftMs > 0) shortestMs = Math.min(shortestMs, leftMs);
  }
  updateScheduled(context, name, tolerating);
  return Number.isFinite(shortestMs) ? after(shortestMs, 'tolerationSeconds of a pod') : done;
}

function observeTaints({ env, taintedSince }: EvictionContext, node: Node): ReadonlyMap<string, number> {
  const { name } = node.metadata;
  const before = taintedSince.get(name);
  const now = new Map(
    noExecuteTaints(node).map(({ key }) => [key, before?.get(key) ?? env.clock.now()] as const),
  );
  if (now.size === 0) taintedSince.delete(name);
  else taintedSince.set(name, now);
  return now;
}

async function evict({ kube, env, recorder }: EvictionContext, pod: Pod): Promise<void> {
  const now = withDisruption(pod, DISRUPTION, env.clock.now());
  recorder.normal(aboutPod(pod), 'TaintManagerEviction', `Marking for deletion Pod ${keyOf(pod)}`);
  // Deleted even after a conflict: the decision does not depend on the status.
  if (now !== pod) await carryOut(kube, updateStatus(podResource, now));
  const { uid } = pod.metadata;
  await kube.delete(podResource, keyOfObject(pod), uid === undefined ? {} : { uid });
}

/** Records scheduled evictions and reports cancelled ones. */
function updateScheduled(
  { pods, scheduled, recorder }: EvictionContext,
  name: string,
  now: ReadonlyMap<string, Pod>,
): void {
  for (const [uid, pod] of scheduled.get(name) ?? []) {
    const found = pods.get(keyOfObject(pod));
    if (now.has(uid) || found?.metadata.uid !== uid || !isActive(found)) continue;
    recorder.normal(aboutPod(pod), 'TaintManagerEviction', `Cancelling deletion of Pod ${keyOf(pod)}`);
  }
  if (now.size === 0) scheduled.delete(name);
  else scheduled.set(name, now);
}
