/** As much of a kubelet as a drain needs: pods that are to go are gone after a while. */

import type { Env } from '../../src/base/env.ts';
import { after, done, runControllers } from '../../src/kubernetes/client/index.ts';
import { type Pod, pod as podKind } from '../../src/kubernetes/types/index.ts';
import type { World as AnyWorld } from './build-world.ts';
import { cachesFor, type Running } from './world-process.ts';

/** In whatever time. */
type World = AnyWorld<Env>;

export type Reaping = {
  /** How long a pod takes to end, by its name. */
  readonly endsAfterMs: (name: string) => number;
};

export function startReaper(world: World, { endsAfterMs }: Reaping): Running {
  return world.startOther(async (parts) => {
    const caches = cachesFor(parts);
    const pods = caches.of(podKind);
    const toldAtMs = new Map<string, number>();
    const { clock } = parts.env;
    await runControllers(
      [
        {
          name: 'pod-reaper',
          workers: 10,
          caches: [pods],
          watch(enqueue) {
            pods.onChange(({ after: pod }) => {
              if (pod?.metadata.deletionTimestamp !== undefined)
                enqueue(`${pod.metadata.namespace}/${pod.metadata.name}`);
            });
          },
          async reconcile(key) {
            const [namespace = '', name = ''] = key.split('/');
            const { uid = '', deletionTimestamp } = pods.get({ namespace, name })?.metadata ?? {};
            if (deletionTimestamp === undefined) return done;
            const since = toldAtMs.get(uid) ?? clock.now();
            toldAtMs.set(uid, since);
            const leftMs = since + endsAfterMs(name) - clock.now();
            if (leftMs > 0) return after(leftMs, 'until it has ended');
            await parts.kube.delete(podKind, { namespace, name }, { gracePeriodSeconds: 0, uid });
            return done;
          },
        },
      ],
      { env: parts.env },
    );
    await caches.stop();
  });
}

/** A pod that runs on a node, as if a scheduler had bound it and a kubelet had started it. */
export async function runPod(
  { kube }: World,
  name: string,
  node: string,
  metadata: Partial<Pod['metadata']> = {},
): Promise<Pod> {
  const { namespace = 'default' } = metadata;
  const created = await kube.create(podKind, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { ...metadata, name, namespace },
    spec: { nodeName: node, containers: [{ name: 'app', image: 'registry.example/app:1' }] },
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await kube.patch(
    podKind,
    { name, namespace },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  return created;
}
