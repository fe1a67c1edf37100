/** Deployments and their ReplicaSets, from the first pod to the last, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { aDeployment, aTemplate, NAMESPACE } from '../../../../test/support/build-workloads.ts';
import {
  startWorkloadCluster,
  type WorkloadCluster,
  type WorkloadClusterOptions,
} from '../../../../test/support/workload-cluster.ts';
import { type Deployment, deployment, pod, replicaSet } from '../../../kubernetes/types/index.ts';
import { isActive, isReady } from './pod-state.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(options?: WorkloadClusterOptions) {
  cluster = await startWorkloadCluster(options);
  const { kube, ask, until, cacheOf, env } = cluster;
  const [deployments, sets, pods] = [cacheOf(deployment), cacheOf(replicaSet), cacheOf(pod)];
  const place = { namespace: NAMESPACE, name: 'web' };
  const patch = (spec: object) => ask(kube.patch(deployment, place, { type: 'merge', body: { spec } }));
  return {
    env,
    ask,
    until,
    kube,
    pods,
    sets,
    patch,
    make: (one: Deployment) => ask(kube.create(deployment, fresh(one))),
    isGone: () => deployments.get(place) === undefined,
    status: () => deployments.get(place)?.status ?? {},
    images: () => [...pods.all()].map(({ spec }) => spec.containers[0]?.image ?? '').sort(),
    image: (image: string) => patch({ template: { spec: { containers: [{ name: 'main', image }] } } }),
    reason: () =>
      deployments.get(place)?.status?.conditions?.find(({ type }) => type === 'Progressing')?.reason,
  };
}

/** As a person would send it. */
function fresh({ apiVersion, kind, spec }: Deployment): Deployment {
  return { apiVersion, kind, metadata: { name: 'web', namespace: NAMESPACE }, spec };
}

describe('a deployment', () => {
  it('creates exactly the desired pods', async () => {
    const { make, until, status, images } = await start();
    await make(aDeployment({ replicas: 5 }));
    await until(() => status().availableReplicas === 5);
    expect(images()).toHaveLength(5);
    await until(
      () => status().conditions?.some(({ reason }) => reason === 'NewReplicaSetAvailable') === true,
    );
    expect(status()).toMatchObject({
      replicas: 5,
      updatedReplicas: 5,
      readyReplicas: 5,
      observedGeneration: 1,
    });
  });

  it('rolls out within its limits, and keeps revisionHistoryLimit old ReplicaSets', async () => {
    const { make, until, status, images, image, pods, sets, reason } = await start();
    await make(aDeployment({ replicas: 6, revisionHistoryLimit: 1 }));
    await until(() => status().availableReplicas === 6);
    const seen: string[] = [];
    pods.onChange(() => {
      const active = [...pods.all()].filter(isActive);
      const isWithin = active.length <= 7 && active.filter(isReady).length >= 5;
      if (!isWithin) seen.push(`${active.length} pods, ${active.filter(isReady).length} ready`);
    });
    for (const next of ['b', 'c', 'd']) {
      await image(next);
      await until(() => images().every((one) => one === next) && reason() === 'NewReplicaSetAvailable');
    }
    expect(seen).toEqual([]);
    await until(() => [...sets.all()].length === 2);
    expect([...sets.all()].map(({ spec }) => spec.template.spec.containers[0]?.image).sort()).toEqual([
      'c',
      'd',
    ]);
  });

  it('reuses the ReplicaSet of an old template', async () => {
    const { make, until, status, images, image, sets } = await start();
    await make(aDeployment({ replicas: 2 }));
    await until(() => status().availableReplicas === 2);
    const [first] = [...sets.all()];
    await image('b');
    await until(() => images().join() === 'b,b');
    await image('a');
    await until(() => images().join() === 'a,a' && status().updatedReplicas === 2);
    const back = sets.get({ namespace: NAMESPACE, name: first?.metadata.name ?? '' });
    expect(back?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect([...sets.all()]).toHaveLength(2);
  });

  it('reports an exceeded deadline, and continues when it can', async () => {
    const { make, env, until, image, images, reason } = await start({
      becomesReady: ({ spec }) => spec.containers[0]?.image !== 'broken',
    });
    await make(aDeployment({ replicas: 3, progressDeadlineSeconds: 120 }));
    await until(() => reason() === 'NewReplicaSetAvailable');
    await image('broken');
    await env.clock.advance(110_000);
    expect(reason()).toBe('ReplicaSetUpdated');
    await until(() => reason() === 'ProgressDeadlineExceeded', 20_000);
    expect(images().filter((one) => one === 'a')).toHaveLength(2);
    await image('c');
    await until(() => images().join() === 'c,c,c' && reason() === 'NewReplicaSetAvailable');
  });

  it('waits while it is paused', async () => {
    const { make, until, status, image, images, patch, env } = await start();
    await make(aDeployment({ replicas: 2 }));
    await until(() => status().availableReplicas === 2);
    await patch({ paused: true });
    await image('b');
    await env.clock.advance(60_000);
    expect(images()).toEqual(['a', 'a']);
    await patch({ replicas: 3 });
    await until(() => images().length === 3);
    expect(images()).toEqual(['a', 'a', 'a']);
    await patch({ paused: false });
    await until(() => images().join() === 'b,b,b');
  });

  it('with Recreate never has old and new pods at once', async () => {
    const { make, until, status, image, images, pods } = await start();
    await make(aDeployment({ replicas: 3, strategy: { type: 'Recreate' } }));
    await until(() => status().availableReplicas === 3);
    const mixed: string[] = [];
    pods.onChange(() => {
      if (new Set(images()).size > 1) mixed.push(images().join());
    });
    await image('b');
    await until(() => images().join() === 'b,b,b');
    expect(mixed).toEqual([]);
  });

  it('uses another name after a collision', async () => {
    const { make, ask, kube, until, status, sets, isGone } = await start();
    await make(aDeployment({ replicas: 1 }));
    await until(() => status().availableReplicas === 1);
    const [own] = [...sets.all()];
    await ask(
      kube.delete(deployment, { namespace: NAMESPACE, name: 'web' }, { propagationPolicy: 'Foreground' }),
    );
    await until(() => isGone() && [...sets.all()].length === 0);
    const squatter = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: own?.metadata.name ?? '', namespace: NAMESPACE },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'squatter' } },
        template: { ...aTemplate(), metadata: { labels: { app: 'squatter' } } },
      },
    };
    await ask(kube.create(replicaSet, squatter));
    await make(aDeployment({ replicas: 1 }));
    await until(() => status().availableReplicas === 1);
    expect(status().collisionCount).toBe(1);
  });
});

describe('a deployment and what it owns', () => {
  it('are deleted together in the foreground', async () => {
    const { make, ask, kube, until, status, sets, pods, isGone } = await start();
    await make(aDeployment({ replicas: 3 }));
    await until(() => status().availableReplicas === 3);
    await ask(
      kube.delete(deployment, { namespace: NAMESPACE, name: 'web' }, { propagationPolicy: 'Foreground' }),
    );
    await until(() => isGone() && [...sets.all()].length === 0);
    expect([...pods.all()]).toEqual([]);
  });

  it('are orphaned and adopted again', async () => {
    const { make, ask, kube, until, status, sets, pods, isGone } = await start();
    await make(aDeployment({ replicas: 3 }));
    await until(() => status().availableReplicas === 3);
    const before = [...pods.all()].map(({ metadata }) => metadata.uid).sort();
    await ask(
      kube.delete(deployment, { namespace: NAMESPACE, name: 'web' }, { propagationPolicy: 'Orphan' }),
    );
    await until(isGone);
    expect([...sets.all()].map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
    await make(aDeployment({ replicas: 3 }));
    await until(() => status().availableReplicas === 3);
    expect([...pods.all()].map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  it('replace a deleted pod', async () => {
    const { make, ask, kube, until, status, pods } = await start();
    await make(aDeployment({ replicas: 2 }));
    await until(() => status().availableReplicas === 2);
    const [victim] = [...pods.all()];
    const name = victim?.metadata.name ?? '';
    await ask(kube.delete(pod, { namespace: NAMESPACE, name }));
    await until(
      () =>
        [...pods.all()].filter(isReady).length === 2 &&
        pods.get({ namespace: NAMESPACE, name }) === undefined,
    );
  });
});
