/** Jobs from their first pod to their end, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { aJob, NAMESPACE } from '../../../../test/support/build-workloads.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../../../test/support/workload-cluster.ts';
import { type Job, job, type Pod, pod } from '../../../kubernetes/types/index.ts';
import { isReady } from './pod-state.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start() {
  cluster = await startWorkloadCluster();
  const { kube, ask, until, cacheOf, env, end } = cluster;
  const [jobs, pods] = [cacheOf(job), cacheOf(pod)];
  const place = { namespace: NAMESPACE, name: 'work' };
  const running = (): readonly Pod[] => [...pods.all()].filter(isReady);
  return {
    env,
    kube,
    ask,
    until,
    pods,
    place,
    running,
    make: (spec: Partial<Job['spec']>) => {
      const { selector: _, ...rest } = aJob(spec).spec;
      return ask(kube.create(job, { ...aJob(), metadata: { ...place }, spec: rest }));
    },
    job: () => jobs.get(place),
    has: (condition: string) =>
      jobs
        .get(place)
        ?.status?.conditions?.some(({ type, status }) => type === condition && status === 'True') === true,
    /** The first pod that runs comes to its end. */
    async endOne(phase: 'Succeeded' | 'Failed') {
      await until(() => running().length > 0);
      const [one] = running();
      if (one !== undefined) await end(one, phase);
    },
  };
}

describe('a job', () => {
  it('runs its completions within its parallelism', async () => {
    const { make, endOne, until, job: now, has, pods, running } = await start();
    let most = 0;
    pods.onChange(() => {
      most = Math.max(most, running().length);
    });
    await make({ completions: 5, parallelism: 2 });
    for (let count = 0; count < 5; count++) await endOne('Succeeded');
    await until(() => has('Complete'));
    expect(now()?.status).toMatchObject({ succeeded: 5, terminating: 0, uncountedTerminatedPods: {} });
    expect([...pods.all()].map(({ status }) => status?.phase)).toEqual(Array(5).fill('Succeeded'));
    expect([...pods.all()].flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect(most).toBe(2);
  });

  it('has backoff between failures, and fails after too many', async () => {
    const { make, endOne, until, job: now, has, env } = await start();
    const began = env.clock.now();
    await make({ backoffLimit: 2 });
    for (let count = 0; count < 3; count++) await endOne('Failed');
    await until(() => has('Failed'));
    expect(now()?.status).toMatchObject({ failed: 3 });
    const waited = env.clock.now() - began;
    expect(waited).toBeGreaterThan(28_000);
    expect(waited).toBeLessThan(40_000);
  });

  it('fails at its deadline and deletes its pods', async () => {
    const { make, until, has, pods, env } = await start();
    const began = env.clock.now();
    await make({ activeDeadlineSeconds: 60 });
    await until(() => has('Failed'), 120_000);
    expect(env.clock.now() - began).toBeGreaterThan(58_000);
    expect([...pods.all()]).toEqual([]);
  });

  it('is deleted after its TTL with its pods', async () => {
    const { make, endOne, until, job: now, pods, env } = await start();
    await make({ ttlSecondsAfterFinished: 300 });
    await endOne('Succeeded');
    await env.clock.advance(290_000);
    expect([...pods.all()]).toHaveLength(1);
    await until(() => now() === undefined, 30_000);
    expect([...pods.all()]).toEqual([]);
  });

  it('counts every pod once, even if it is deleted at once', async () => {
    const { make, ask, kube, endOne, until, job: now, has, pods } = await start();
    await make({ completions: 4, parallelism: 2 });
    for (let count = 0; count < 4; count++) {
      await endOne('Succeeded');
      const ended = [...pods.all()].find(({ status }) => status?.phase === 'Succeeded');
      if (ended !== undefined) {
        await ask(kube.delete(pod, { namespace: NAMESPACE, name: ended.metadata.name }));
      }
    }
    await until(() => has('Complete'));
    expect(now()?.status?.succeeded).toBe(4);
  });

  it('releases its pods when it is deleted', async () => {
    const { make, ask, kube, until, job: now, pods, running, place } = await start();
    await make({ completions: 3, parallelism: 3 });
    await until(() => running().length === 3);
    await ask(kube.delete(job, place, { propagationPolicy: 'Background' }));
    await until(() => now() === undefined && [...pods.all()].length === 0);
  });

  it('orphans its pods and releases them', async () => {
    const { make, ask, kube, until, job: now, pods, running, place } = await start();
    await make({});
    await until(() => running().length === 1);
    await ask(kube.delete(job, place, { propagationPolicy: 'Orphan' }));
    await until(
      () => now() === undefined && [...pods.all()].every(({ metadata }) => metadata.finalizers === undefined),
    );
    expect(running()).toHaveLength(1);
  });

  it('that is suspended has no pods, and starts when resumed', async () => {
    const { make, ask, kube, until, has, pods, running, place, endOne, env } = await start();
    await make({ suspend: true });
    await until(() => has('Suspended'));
    await env.clock.advance(60_000);
    expect([...pods.all()]).toEqual([]);
    await ask(kube.patch(job, place, { type: 'merge', body: { spec: { suspend: false } } }));
    await until(() => running().length === 1);
    await endOne('Succeeded');
    await until(() => has('Complete'));
  });
});
