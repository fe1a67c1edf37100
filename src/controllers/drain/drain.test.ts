/** The drain controller on the embedded server, in virtual time: what wakes it, and its requests. */
import { afterEach, describe, expect, it } from 'vitest';
import type { World } from '../../../test/rollout/build-world.ts';
import { runPod, startReaper } from '../../../test/rollout/pod-reaper.ts';
import { drainOf, eventsAbout, MINUTE } from '../../../test/rollout/story-steps.ts';
import { startWorld } from '../../../test/rollout/world.ts';
import type { Wrap } from '../../../test/rollout/world-process.ts';
import { annotations } from '../../api/index.ts';
import type { TransportRequest } from '../../kubernetes/client/index.ts';
import {
  node as nodeKind,
  podDisruptionBudget as podDisruptionBudgetKind,
  pod as podKind,
  serviceAccount,
} from '../../kubernetes/types/index.ts';

const NAMESPACE = 'default';
const GUARDED = { labels: { app: 'web' } };
const BUDGET = { name: 'web', namespace: NAMESPACE };

describe('a drain', () => {
  let world: World;
  let asked: TransportRequest[];
  /** What the connection of the controllers does; it begins as a good one. */
  let wrap: Wrap;
  afterEach(() => world.stop());

  type Beginning = {
    readonly workers?: number;
    readonly masters?: number;
    readonly via?: Wrap;
    readonly endsAfterMs?: number;
  };
  const begin = async (given: Beginning = {}): Promise<void> => {
    const { workers = 3, masters = 1, via, endsAfterMs = 1_000 } = given;
    world = await startWorld({ masters, workers });
    asked = [];
    wrap = via ?? ((one) => one);
    await world.kube.create(serviceAccount, {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
      metadata: { name: 'default', namespace: NAMESPACE },
    });
    await world.startControllers((transport) => ({
      send(request) {
        asked.push(request);
        return wrap(transport).send(request);
      },
    }));
    startReaper(world, { endsAfterMs: () => endsAfterMs });
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
    await begin({ workers: 1 });
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

  it.each([
    [3, 1],
    [5, 2],
  ])('of all %d control plane nodes at once begins on no more than %d of them', async (count, spare) => {
    await begin({ workers: 1, masters: count });
    const names = Array.from({ length: count }, (_, index) => `master-${index}`);
    // As daemons do that find a force file, each by itself.
    await Promise.all(names.map((name) => ask(name, 'drain-v1')));
    const left = new Set(names);
    while (left.size > 0) {
      await world.env.clock.advance(MINUTE);
      const cordoned = (await world.nodes()).filter(({ spec }) => spec.unschedulable === true);
      expect(cordoned).toHaveLength(Math.min(spare, left.size));
      const [first = { metadata: { name: '' } }] = cordoned;
      expect(await answer(first.metadata.name)).toBe('drain-v1');
      left.delete(first.metadata.name);
      await ask(first.metadata.name, 'uncordon-v1');
    }
    const events = (await Promise.all(names.map((name) => eventsAbout(world, 'Node', name)))).flat();
    expect(
      events.filter(({ reason }) => reason === 'DrainDeferred').map(({ message }) => message),
    ).toContainEqual(
      expect.stringMatching(/^node master-\d: its drain waits for .*etcd would lose its quorum$/),
    );
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

  /** The requests about the node and its pods since the last call. */
  const requestsFor = (name: string): readonly string[] =>
    asked.splice(0).flatMap(({ method, path, query }) => {
      if (path === `/api/v1/nodes/${name}`) return [`${method} node`];
      if (path.endsWith('/eviction')) return ['evict'];
      if (path !== '/api/v1/pods' || !query.includes(name)) return [];
      return [query.includes('watch=true') ? 'watch pods' : 'list pods'];
    });

  it('of a node without pods to move takes three requests, and its end one', async () => {
    await begin();
    requestsFor('worker-0');
    await ask('worker-0', 'drain-v1');
    expect(await answer('worker-0')).toBe('drain-v1');
    // The cordon, the pods since then, and the answer.
    expect(requestsFor('worker-0')).toEqual(['PATCH node', 'list pods', 'PATCH node']);
    await ask('worker-0', 'uncordon-v1');
    expect(await answer('worker-0')).toBe('uncordon-v1');
    expect(requestsFor('worker-0')).toEqual(['PATCH node']);
  });

  it('of a node with a pod to move takes a watch and an eviction more', async () => {
    await begin();
    await runPod(world, 'web-0', 'worker-0');
    requestsFor('worker-0');
    await ask('worker-0', 'drain-v1');
    await world.env.clock.advance(5_000);
    expect(await answer('worker-0')).toBe('drain-v1');
    expect(requestsFor('worker-0').toSorted()).toEqual(
      ['PATCH node', 'list pods', 'watch pods', 'evict', 'PATCH node'].toSorted(),
    );
  });

  const touch = (name: string, value: string) => {
    const body = { metadata: { annotations: { heartbeat: value } } };
    return world.kube.patch(nodeKind, { name }, { type: 'merge', body });
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      world.env.clock.after(ms, resolve);
    });
  /** Events of a watch come late. */
  const late =
    (path: string, delayMs: () => number): Wrap =>
    (transport) => ({
      async send(request) {
        const response = await transport.send(request);
        if (request.path !== path || !request.query.includes('watch=true')) return response;
        const body = (async function* () {
          for await (const piece of response.body) {
            await pause(delayMs());
            yield piece;
          }
        })();
        return { ...response, body };
      },
    });

  it('reads the node from the server when it has changed since the cached version', async () => {
    await begin();
    wrap = (transport) => ({
      async send(request) {
        // Between the decision and the write.
        if (request.method === 'PATCH' && request.path === '/api/v1/nodes/worker-0' && touches++ === 0)
          await touch('worker-0', 'a');
        return await transport.send(request);
      },
    });
    let touches = 0;
    requestsFor('worker-0');
    await ask('worker-0', 'drain-v1');
    await world.env.clock.advance(5_000);
    expect(await answer('worker-0')).toBe('drain-v1');
    expect(requestsFor('worker-0')).toEqual([
      'PATCH node',
      'GET node',
      'PATCH node',
      'list pods',
      'PATCH node',
    ]);
    expect(world.env.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('evicts no pod of a node that was released while its cached version is outdated', async () => {
    let lagMs = 0;
    await begin({ via: late('/api/v1/nodes', () => lagMs) });
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await budget(0);
    await ask('worker-0', 'drain-v1');
    await world.env.clock.advance(3_000);
    const before = evictions();
    lagMs = MINUTE;
    await ask('worker-0', 'uncordon-v1');
    await budget(1);
    await world.env.clock.advance(30_000);
    expect([evictions(), await answer('worker-0')]).toEqual([before, 'uncordon-v1']);
    expect((await world.node('worker-0')).spec.unschedulable).toBeUndefined();
  });

  it('moves a pod that came after its pods were listed, before it answers', async () => {
    // As from a scheduler that did not know of the cordon; the event of the pod is delayed.
    let [isBound, lagMs] = [false, 0];
    const bindLate: Wrap = (transport) => ({
      async send(request) {
        const response = await transport.send(request);
        if (request.path !== '/api/v1/pods' || !request.query.includes('watch=true')) return response;
        const body = (async function* () {
          for await (const piece of response.body) {
            await pause(lagMs);
            if (new TextDecoder().decode(piece).includes('"DELETED"') && !isBound) {
              isBound = true;
              await runPod(world, 'late', 'worker-0');
              lagMs = 10 * MINUTE;
            }
            yield piece;
          }
        })();
        return { ...response, body };
      },
    });
    await begin({ via: bindLate, endsAfterMs: 10_000 });
    await runPod(world, 'web-0', 'worker-0');
    await ask('worker-0', 'drain-v1');
    await touch('worker-0', 'since then the node has changed');
    await world.env.clock.advance(MINUTE);
    const late = await world.kube.get(podKind, { name: 'late', namespace: NAMESPACE });
    expect([isBound, late?.metadata.name, await answer('worker-0')]).toEqual([true, undefined, 'drain-v1']);
    expect(evictions()).toBeLessThanOrEqual(5);
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
