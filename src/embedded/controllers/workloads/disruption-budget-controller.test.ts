/** Budgets and evictions, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { aBudget, aDeployment, NAMESPACE } from '../../../../test/support/build-workloads.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../../test/support/workload-cluster.ts';
import { deployment, pod, podDisruptionBudget } from '../../../kubernetes/types/index.ts';
import { isReady } from './pod-state.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(replicas: number, isStuck = false) {
  let mayStart = true;
  cluster = await startWorkloadCluster({ becomesReady: () => mayStart });
  const { kube, ask, until, cacheOf, env } = cluster;
  const [budgets, pods] = [cacheOf(podDisruptionBudget), cacheOf(pod)];
  const place = { namespace: NAMESPACE, name: 'budget' };
  await ask(
    kube.create(deployment, {
      ...aDeployment({ replicas }),
      metadata: { name: 'web', namespace: NAMESPACE },
    }),
  );
  await until(() => [...pods.all()].filter(isReady).length === replicas);
  mayStart = !isStuck;
  return {
    env,
    kube,
    ask,
    until,
    pods,
    budget: (spec: Parameters<typeof aBudget>[0]) =>
      ask(kube.create(podDisruptionBudget, { ...aBudget(spec), metadata: { ...place } })),
    status: () => budgets.get(place)?.status,
    async evict() {
      const [one] = [...pods.all()].filter(
        (other) => isReady(other) && other.metadata.deletionTimestamp === undefined,
      );
      return ask(kube.evict({ namespace: NAMESPACE, name: one?.metadata.name ?? '' }));
    },
  };
}

describe('a disruption budget', () => {
  it('allows as many evictions as configured until replacements are ready', async () => {
    const { budget, evict, until, status } = await start(5, true);
    await budget({ maxUnavailable: 2 });
    await until(() => status()?.disruptionsAllowed === 2);
    expect([(await evict()).kind, (await evict()).kind]).toEqual(['accepted', 'accepted']);
    expect(await evict()).toMatchObject({ kind: 'refused' });
    await until(() => status()?.currentHealthy === 3);
    expect(status()).toMatchObject({ disruptionsAllowed: 0, desiredHealthy: 3, expectedPods: 5 });
    expect(await evict()).toMatchObject({ kind: 'refused' });
  });

  it('allows the next eviction when the last pod was replaced', async () => {
    const { budget, evict, until, status } = await start(3);
    await budget({ maxUnavailable: 1 });
    for (let count = 0; count < 4; count++) {
      await until(() => status()?.disruptionsAllowed === 1 && status()?.currentHealthy === 3);
      expect((await evict()).kind).toBe('accepted');
    }
  });

  it('follows the scale of its workload', async () => {
    const { budget, until, status, ask, kube } = await start(4);
    await budget({ minAvailable: '50%' });
    await until(() => status()?.disruptionsAllowed === 2);
    const body = { spec: { replicas: 8 } };
    await ask(kube.patch(deployment, { namespace: NAMESPACE, name: 'web' }, { type: 'merge', body }));
    await until(() => status()?.expectedPods === 8 && status()?.disruptionsAllowed === 4);
    expect(status()?.desiredHealthy).toBe(4);
  });

  it('counts a disrupted pod again after its timeout', async () => {
    const { budget, until, status, pods, ask, kube, env } = await start(2, true);
    await budget({ minAvailable: 1 });
    await until(() => status()?.disruptionsAllowed === 1);
    const [one] = [...pods.all()];
    const noted = new Date(env.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
    // As the server notes it just before it deletes the pod, which may then fail.
    const body = { status: { disruptedPods: { [one?.metadata.name ?? '']: noted }, disruptionsAllowed: 0 } };
    const place = { namespace: NAMESPACE, name: 'budget' };
    await ask(kube.patch(podDisruptionBudget, place, { type: 'merge', body }, { subresource: 'status' }));
    await until(() => status()?.currentHealthy === 1);
    await env.clock.advance(100_000);
    expect(status()?.currentHealthy).toBe(1);
    await until(() => status()?.currentHealthy === 2, 30_000);
    expect(status()?.disruptedPods).toBeUndefined();
  });
});
