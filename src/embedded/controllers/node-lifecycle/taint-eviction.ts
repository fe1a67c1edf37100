/**
 * Taint eviction: deletes pods that do not tolerate a NoExecute taint of their node, or no longer.
 */

import { jsonEqual } from '../../../base/json.ts';
import { after, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
import {
  type Node,
  node as nodeResource,
  type Pod,
  pod as podResource,
} from '../../../kubernetes/types/index.ts';
import { aboutPod, byNode, type NodeContext } from '../node-context.ts';
import { keyOf, placeOfObject } from '../object-keys.ts';
import { isActive } from '../workloads/pod-state.ts';
import { carryOut, updateStatus } from '../writes.ts';
import { withDisruption } from './disruption-target.ts';
import { noExecuteTaints, remainingTolerationMs } from './toleration-seconds.ts';

const DISRUPTION = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

export function createTaintEviction(context: NodeContext): Controller {
  const { kube, caches, env } = context;
  const nodes = caches.of(nodeResource);
  const pods = caches.of(podResource, { indexes: byNode });
  /** When each taint of a node was first observed, for taints without timeAdded. */
  const seenMs = new Map<string, ReadonlyMap<string, number>>();
  /** Pods with a scheduled eviction, by node. */
  const scheduled = new Map<string, ReadonlyMap<string, Pod>>();
  const recorder = context.events('taint-eviction-controller');

  function observe(node: Node): ReadonlyMap<string, number> {
    const { name } = node.metadata;
    const before = seenMs.get(name);
    const now = new Map(
      noExecuteTaints(node).map(({ key }) => [key, before?.get(key) ?? env.clock.now()] as const),
    );
    if (now.size === 0) seenMs.delete(name);
    else seenMs.set(name, now);
    return now;
  }

  async function evict(pod: Pod): Promise<void> {
    const now = withDisruption(pod, DISRUPTION, env.clock.now());
    recorder.normal(aboutPod(pod), 'TaintManagerEviction', `Marking for deletion Pod ${keyOf(pod)}`);
    // Deleted even after a conflict: the decision does not depend on the status.
    if (now !== pod) await carryOut(kube, updateStatus(podResource, now));
    const { uid } = pod.metadata;
    await kube.delete(podResource, placeOfObject(pod), uid === undefined ? {} : { uid });
  }

  /** Records scheduled evictions and reports cancelled ones. */
  function updateScheduled(name: string, now: ReadonlyMap<string, Pod>): void {
    for (const [uid, pod] of scheduled.get(name) ?? []) {
      const found = pods.get(placeOfObject(pod));
      if (now.has(uid) || found?.metadata.uid !== uid || !isActive(found)) continue;
      recorder.normal(aboutPod(pod), 'TaintManagerEviction', `Cancelling deletion of Pod ${keyOf(pod)}`);
    }
    if (now.size === 0) scheduled.delete(name);
    else scheduled.set(name, now);
  }

  async function reconcile(name: string): Promise<Next> {
    const node = nodes.get({ name });
    const since = node === undefined ? undefined : observe(node);
    if (node === undefined || since === undefined || since.size === 0) {
      seenMs.delete(name);
      updateScheduled(name, new Map());
      return done;
    }
    const tolerating = new Map<string, Pod>();
    let shortestMs = Number.POSITIVE_INFINITY;
    for (const pod of pods.by('node', name).filter(isActive)) {
      const leftMs = remainingTolerationMs(pod, node, { since, nowMs: env.clock.now() });
      if (leftMs <= 0) await evict(pod);
      if (Number.isFinite(leftMs)) tolerating.set(pod.metadata.uid ?? '', pod);
      if (leftMs > 0) shortestMs = Math.min(shortestMs, leftMs);
    }
    updateScheduled(name, tolerating);
    return Number.isFinite(shortestMs) ? after(shortestMs, 'tolerationSeconds of a pod') : done;
  }

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
    reconcile,
  };
}
