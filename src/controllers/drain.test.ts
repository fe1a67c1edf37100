/** The drain controller on the embedded server, in virtual time: what wakes it, and its requests. */
import { afterEach, describe, expect, it } from 'vitest';
import type { World } from '../../test/rollout/build-world.ts';
import { runPod, startReaper } from '../../test/rollout/pod-reaper.ts';
import { drainOf, eventsAbout, MINUTE } from '../../test/rollout/story-steps.ts';
import { startWorld } from '../../test/rollout/world.ts';
import { annotations } from '../api/index.ts';
import type { TransportRequest } from '../kubernetes/client/index.ts';
import {
  node as nodeKind,
  podDisruptionBudget as podDisruptionBudgetKind,
  pod as podKind,
  serviceAccount,
} from '../kubernetes/types/index.ts';

const NAMESPACE = 'default';
const GUARDED = { labels: { app: 'web' } };
const BUDGET = { name: 'web', namespace: NAMESPACE };

describe('a drain', () => {
  let world: World;
  let asked: TransportRequest[];
  afterEach(() => world.stop());

  const begin = async (workers = 3): Promise<void> => {
    world = await startWorld({ masters: 1, workers });
    asked = [];
    await world.kube.create(serviceAccount, {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
      metadata: { name: 'default', namespace: NAMESPACE },
    });
    await world.startControllers((transport) => ({
      send(request) {
        asked.push(request);
        return transport.send(request);
      },
    }));
    startReaper(world, { endsAfterMs: () => 1_000 });
    await world.env.clock.advance(MINUTE);
  };
  const ask = async (name: string, request: string): Promise<void> => {
    const body = { metadata: { annotations: { [annotations.desiredDrain]: request } } };
    await world.kube.patch(nodeKind, { name }, { type: 'merge', body });
    await world.env.clock.advance(1_000);
  };
  const answer = async (name: string) =>
    (await world.node(name)).metadata.annotations?.[annotations.lastAppliedDrain];
  /** As the disruption controller keeps it. */
  const budget = async (allowed: number): Promise<void> => {
    const known =
      (await world.kube.get(podDisruptionBudgetKind, BUDGET)) ??
      (await world.kube.create(podDisruptionBudgetKind, {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: BUDGET },
        spec: { minAvailable: 1, selector: { matchLabels: GUARDED.labels } },
      }));
    const status = {
      ...{ disruptionsAllowed: allowed, currentHealthy: 1 + allowed, desiredHealthy: 1, expectedPods: 2 },
      observedGeneration: known.metadata.generation,
    };
    const patch = { type: 'merge', body: { status } } as const;
    await world.kube.patch(podDisruptionBudgetKind, BUDGET, patch, { subresource: 'status' });
  };
  /** A drain that a budget blocks, in the middle of its wait of five minutes. */
  const held = async (pods: readonly string[] = ['web-0']): Promise<void> => {
    await begin();
    for (const pod of pods) await runPod(world, pod, 'worker-0', GUARDED);
    await budget(0);
    await ask('worker-0', 'drain-v1');
    const isSlow = async () => {
      const { retryAt } = drainOf(await world.node('worker-0')) ?? {};
      return Date.parse(String(retryAt ?? 0)) - world.env.clock.now() > 4 * MINUTE;
    };
    await world.until('it waits for five minutes', isSlow, 30 * MINUTE);
  };
  const evictions = () => asked.filter(({ path }) => path.endsWith('/eviction')).length;

  it.each<[string, () => Promise<unknown>]>([
    ['allows a disruption', () => budget(1)],
    ['is deleted', () => world.kube.delete(podDisruptionBudgetKind, BUDGET)],
    [
      'selects other pods',
      () =>
        world.kube.patch(podDisruptionBudgetKind, BUDGET, {
          type: 'merge',
          body: { spec: { selector: { matchLabels: { app: 'other' } } } },
        }),
    ],
  ])('continues at once when the blocking budget %s, however long its wait', async (_, act) => {
    await held();
    expect((await eventsAbout(world, 'Node', 'worker-0')).map(({ reason }) => reason)).toContain(
      'DrainThresholdExceeded',
    );
    await act();
    await world.env.clock.advance(3_000);
    expect(await answer('worker-0')).toBe('drain-v1');
  });

  it('of the last schedulable node waits until another one is uncordoned', async () => {
    await begin(1);
    const isCordoned = async (name: string) => (await world.node(name)).spec.unschedulable === true;
    await Promise.all([ask('worker-0', 'drain-x'), ask('master-0', 'drain-y')]);
    await world.env.clock.advance(MINUTE);
    const cordoned = [await isCordoned('master-0'), await isCordoned('worker-0')];
    expect(cordoned.filter(Boolean)).toHaveLength(1);
    const [first, second] = cordoned[0] ? ['master-0', 'worker-0'] : ['worker-0', 'master-0'];
    expect((await answer(second)) ?? '').not.toMatch(/^drain-/);
    await ask(first, first === 'master-0' ? 'uncordon-y' : 'uncordon-x');
    await world.env.clock.advance(MINUTE);
    expect([await isCordoned(first), await isCordoned(second)]).toEqual([false, true]);
    expect(await answer(second)).toMatch(/^drain-/);
  });

  it('continues at once with the next pods when the blocking pod is deleted', async () => {
    await held(['web-0', 'web-1']);
    const before = evictions();
    await world.kube.delete(podKind, { name: 'web-0', namespace: NAMESPACE });
    await world.env.clock.advance(2_000);
    expect(evictions()).toBe(before + 1);
    expect(drainOf(await world.node('worker-0'))).toMatchObject({ lastRefusal: { pod: 'web-1' } });
  });

  it('evicts at most once a second while a budget keeps changing', async () => {
    await held();
    const [before, requests] = [evictions(), asked.length];
    for (let round = 0; round < 100; round++) {
      await budget(round % 2 === 0 ? 1 : 0);
      // Another client always writes first.
      await budget(0);
      await world.env.clock.advance(100);
    }
    expect(evictions() - before).toBeLessThanOrEqual(11);
    expect(asked.length - requests).toBeLessThan(40);
    expect(await answer('worker-0')).toBeUndefined();
  });

  it('among several blocked by one budget continues on one node per allowed disruption', async () => {
    await begin();
    for (const [index, node] of ['worker-0', 'worker-1', 'worker-2'].entries())
      await runPod(world, `web-${index}`, node, GUARDED);
    await budget(0);
    for (const node of ['worker-1', 'worker-0', 'worker-2']) await ask(node, 'drain-v1');
    // All of them wait between two attempts.
    await world.env.clock.advance(100_000);
    const before = evictions();
    await budget(1);
    await world.env.clock.advance(3_000);
    // The longest waiting one; the others do not retry for a disruption that is used up.
    expect(await answer('worker-1')).toBe('drain-v1');
    expect(evictions() - before).toBe(1);
  });

  it('never evicts a new pod with the name of the old one', async () => {
    await begin();
    await runPod(world, 'web-0', 'worker-0');
    await ask('worker-0', 'drain-v1');
    await world.env.clock.advance(5_000);
    const bodies = asked.filter(({ path }) => path.endsWith('/eviction')).map(({ body }) => body);
    expect(bodies.map((body) => JSON.parse(new TextDecoder().decode(body)).deleteOptions)).toEqual([
      { preconditions: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
    ]);
  });

  it('watches only the pods of nodes that are being drained', async () => {
    await begin();
    const pods = () => asked.filter(({ path }) => path === '/api/v1/pods');
    expect(pods()).toEqual([]);
    await runPod(world, 'web-0', 'worker-0');
    await runPod(world, 'elsewhere', 'worker-1');
    await ask('worker-0', 'drain-v1');
    await world.env.clock.advance(5_000);
    expect(await answer('worker-0')).toBe('drain-v1');
    expect(pods().length).toBeGreaterThan(0);
    for (const { query } of pods()) expect(query).toContain('fieldSelector=spec.nodeName%3Dworker-0');
    expect(pods().filter(({ query, signal }) => query.includes('watch') && !signal?.aborted)).toEqual([]);
    const before = pods().length;
    await ask('worker-0', 'uncordon-v1');
    await world.env.clock.advance(20 * MINUTE);
    expect([await answer('worker-0'), pods().length]).toEqual(['uncordon-v1', before]);
  });
});
