/**
 * Invariants of the workload controllers with stale caches and lost requests: counts converge, and no operation is done
 * twice.
 */
import { describe, expect, it } from 'vitest';
import { aDeployment, aJob, aReplicaSet, NAMESPACE } from '../../../../test/support/build-workloads.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../../test/support/workload-cluster.ts';
import { deployment, job, namespace, pod, replicaSet } from '../../../kubernetes/types/index.ts';
import { isActive, isReady } from './pod-state.ts';

type UnreliableCluster = { readonly cluster: WorkloadCluster; readonly calm: () => void };

async function withUnreliableCluster(
  seed: number,
  story: (unreliable: UnreliableCluster) => Promise<void>,
  lost = 0.1,
): Promise<void> {
  let isOn = true;
  const unreliability = { lost, cut: 0.02, lateMs: 3000, isOn: () => isOn };
  const cluster = await startWorkloadCluster({ seed, unreliability });
  try {
    await story({
      cluster,
      calm: () => {
        isOn = false;
      },
    });
  } finally {
    isOn = false;
    await cluster.stop();
  }
}

const SEEDS = [1, 2, 3, 4];

describe('over an unreliable transport', () => {
  it.each(SEEDS)('late caches alone never lead to a pod too many (seed %i)', async (seed) => {
    await withUnreliableCluster(
      seed,
      async ({ cluster: { kube, ask, until, cacheOf } }) => {
        const pods = cacheOf(pod);
        const made = new Set<string>();
        pods.onChange(({ before, after }) => made.add((after ?? before)?.metadata.uid ?? ''));
        const place = { name: 'web', namespace: NAMESPACE };
        await ask(
          kube.create(replicaSet, { ...aReplicaSet('web', { replicas: 7 }), metadata: { ...place } }),
        );
        const ready = () => [...pods.all()].filter((one) => isReady(one) && isActive(one)).length;
        await until(() => cacheOf(replicaSet).get(place)?.status?.availableReplicas === 7);
        expect(made.size).toBe(7);
        await ask(kube.patch(replicaSet, place, { type: 'merge', body: { spec: { replicas: 2 } } }));
        await until(() => cacheOf(replicaSet).get(place)?.status?.replicas === 2);
        expect([made.size, ready()]).toEqual([7, 2]);
      },
      0,
    );
  });

  it.each(SEEDS)('a rollout stays within its limits and comes to its end (seed %i)', async (seed) => {
    await withUnreliableCluster(seed, async ({ cluster: { kube, ask, until, cacheOf, env }, calm }) => {
      const [pods, sets] = [cacheOf(pod), cacheOf(replicaSet)];
      const place = { name: 'web', namespace: NAMESPACE };
      await ask(kube.create(deployment, { ...aDeployment({ replicas: 5 }), metadata: { ...place } }));
      const status = () => cacheOf(deployment).get(place)?.status;
      await until(() => status()?.availableReplicas === 5);
      let fewest = 5;
      pods.onChange(() => {
        fewest = Math.min(fewest, [...pods.all()].filter((one) => isReady(one) && isActive(one)).length);
      });
      for (const image of ['b', 'c']) {
        const body = { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
        await ask(kube.patch(deployment, place, { type: 'merge', body }));
        await until(() => status()?.updatedReplicas === 5 && status()?.replicas === 5);
      }
      calm();
      await env.clock.advance(10 * 60_000);
      expect([...pods.all()].map(({ spec }) => spec.containers[0]?.image)).toEqual(Array(5).fill('c'));
      expect([...sets.all()].filter(({ spec }) => spec.replicas !== 0)).toHaveLength(1);
      expect(fewest).toBeGreaterThanOrEqual(4);
    });
  });

  it.each(SEEDS)('a job counts each pod once (seed %i)', async (seed) => {
    await withUnreliableCluster(seed, async ({ cluster: { kube, ask, until, cacheOf, end } }) => {
      const pods = cacheOf(pod);
      const { selector: _, ...spec } = aJob({ completions: 6, parallelism: 3 }).spec;
      const place = { name: 'work', namespace: NAMESPACE };
      await ask(kube.create(job, { ...aJob(), metadata: { ...place }, spec }));
      const status = () => cacheOf(job).get(place)?.status;
      const isOver = () => status()?.conditions?.some(({ type }) => type === 'Complete') === true;
      let ended = 0;
      while (!isOver()) {
        await until(() => isOver() || [...pods.all()].some((one) => isReady(one) && isActive(one)));
        const running = [...pods.all()].find((one) => isReady(one) && isActive(one));
        if (running === undefined) continue;
        await end(running, 'Succeeded');
        ended += 1;
        // Somebody tidies up at once.
        await ask(kube.delete(pod, { namespace: NAMESPACE, name: running.metadata.name }));
      }
      expect(status()?.succeeded).toBe(ended);
      expect(ended).toBeGreaterThanOrEqual(6);
    });
  });

  it.each(SEEDS)('a namespace goes with all that is in it (seed %i)', async (seed) => {
    await withUnreliableCluster(seed, async ({ cluster: { kube, ask, until, cacheOf } }) => {
      const place = { name: 'web', namespace: NAMESPACE };
      await ask(kube.create(deployment, { ...aDeployment({ replicas: 4 }), metadata: { ...place } }));
      await until(() => [...cacheOf(pod).all()].length > 2);
      await ask(kube.delete(namespace, { name: NAMESPACE }));
      await until(() => cacheOf(namespace).get({ name: NAMESPACE }) === undefined);
      expect([...cacheOf(pod).all(), ...cacheOf(replicaSet).all(), ...cacheOf(deployment).all()]).toEqual([]);
    });
  });
});
