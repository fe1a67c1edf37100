/**
 * Taint eviction: pods on a node with a NoExecute taint that they do not tolerate, or not for so long, are deleted.
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
  /** Since when each node has which taint, for taints that do not say so themselves. */
  const seenMs = new Map<string, ReadonlyMap<string, number>>();
  /** By node, the pods that were to go after a while. */
  const waiting = new Map<string, ReadonlyMap<string, Pod>>();
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
    // Deleted all the same where somebody else has written to it: what is decided depends on none of that.
    if (now !== pod) await carryOut(kube, updateStatus(podResource, now));
    const { uid } = pod.metadata;
    await kube.delete(podResource, placeOfObject(pod), uid === undefined ? {} : { uid });
  }

  /** Tells of pods that were to go and now may stay. */
  function keepWaiting(name: string, now: ReadonlyMap<string, Pod>): void {
    for (const [uid, pod] of waiting.get(name) ?? []) {
      const found = pods.get(placeOfObject(pod));
      if (now.has(uid) || found?.metadata.uid !== uid || !isActive(found)) continue;
      recorder.normal(aboutPod(pod), 'TaintManagerEviction', `Cancelling deletion of Pod ${keyOf(pod)}`);
    }
    if (now.size === 0) waiting.delete(name);
    else waiting.set(name, now);
  }

  async function reconcile(name: string): Promise<Next> {
    const node = nodes.get({ name });
    const since = node === undefined ? undefined : observe(node);
    if (node === undefined || since === undefined || since.size === 0) {
      seenMs.delete(name);
      keepWaiting(name, new Map());
      return done;
    }
    const staying = new Map<string, Pod>();
    let shortestMs = Number.POSITIVE_INFINITY;
    for (const pod of pods.by('node', name).filter(isActive)) {
      const leftMs = remainingTolerationMs(pod, node, { since, nowMs: env.clock.now() });
      if (leftMs <= 0) await evict(pod);
      if (Number.isFinite(leftMs)) staying.set(pod.metadata.uid ?? '', pod);
      if (leftMs > 0) shortestMs = Math.min(shortestMs, leftMs);
    }
    keepWaiting(name, staying);
    return Number.isFinite(shortestMs) ? after(shortestMs, 'a pod may stay for a while') : done;
  }

  return {
    name: 'taint-eviction',
    workers: 8,
    caches: [nodes, pods],
    watch(enqueue) {
      nodes.onChange(({ before, after: now }) => {
        const name = (now ?? before)?.metadata.name ?? '';
        const isNews = !jsonEqual(before && noExecuteTaints(before), now && noExecuteTaints(now));
        if (isNews) enqueue(name);
      });
      pods.onChange(({ before, after: now }) => {
        const { nodeName = '', tolerations } = now?.spec ?? {};
        const node = nodeName === '' ? undefined : nodes.get({ name: nodeName });
        if (node === undefined || noExecuteTaints(node).length === 0) return;
        const isNews = before?.spec.nodeName !== nodeName || !jsonEqual(before.spec.tolerations, tolerations);
        if (isNews) enqueue(nodeName);
      });
    },
    reconcile,
  };
}
