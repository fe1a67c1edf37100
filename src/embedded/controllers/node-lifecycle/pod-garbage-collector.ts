/**
 * Pod garbage collection: deletes pods that are bound to nodes that no longer exist.
 */

import { after, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
import { node as nodeResource, type Pod, pod as podResource } from '../../../kubernetes/types/index.ts';
import { byNode, type NodeContext } from '../node-context.ts';
import { keyOfObject } from '../object-keys.ts';
import { hasEnded } from '../workloads/pod-state.ts';
import { carryOut, updateStatus } from '../writes.ts';
import { withDisruption } from './disruption-target.ts';

const DISRUPTION = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' } as const;

export function createPodGarbageCollector({ kube, caches, env, settings }: NodeContext): Controller {
  const nodes = caches.of(nodeResource);
  const pods = caches.of(podResource, { indexes: byNode });
  /** When each missing node was first observed. */
  const missingSinceMs = new Map<string, number>();

  async function collect(pod: Pod): Promise<void> {
    if (!hasEnded(pod)) {
      const disrupted = withDisruption(pod, DISRUPTION, env.clock.now());
      const failed = { ...disrupted, status: { ...disrupted.status, phase: 'Failed' as const } };
      const written = await carryOut(kube, updateStatus(podResource, failed));
      if (written.kind === 'stale') return;
    }
    const { uid } = pod.metadata;
    await kube.delete(podResource, keyOfObject(pod), {
      gracePeriodSeconds: 0,
      ...(uid === undefined ? {} : { uid }),
    });
  }

  async function reconcile(name: string): Promise<Next> {
    const orphans = pods.by('node', name);
    if (nodes.get({ name }) !== undefined || orphans.length === 0) {
      missingSinceMs.delete(name);
      return done;
    }
    const nowMs = env.clock.monotonic();
    const sinceMs = missingSinceMs.get(name) ?? nowMs;
    missingSinceMs.set(name, sinceMs);
    const leftMs = sinceMs + settings.orphanPodMs - nowMs;
    if (leftMs > 0) return after(leftMs, 'the node may be registered again');
    // Checked live, since the cache may lag and deletion is final.
    if ((await kube.get(nodeResource, { name })) !== undefined) return done;
    for (const pod of orphans) await collect(pod);
    return done;
  }

  return {
    name: 'pod-garbage-collector',
    workers: 4,
    caches: [nodes, pods],
    watch(enqueue) {
      nodes.onChange(({ before, after: now }) => {
        const name = (now ?? before)?.metadata.name ?? '';
        if (before === undefined || now === undefined) enqueue(name);
      });
      pods.onChange(({ after: now }) => {
        const { nodeName = '' } = now?.spec ?? {};
        if (nodeName !== '' && nodes.get({ name: nodeName }) === undefined) enqueue(nodeName);
      });
    },
    reconcile,
  };
}
