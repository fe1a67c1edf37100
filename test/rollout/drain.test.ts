/** Drains: blocking pods are reported at once, protected pods stay, and foreign cordons are kept. */
import { afterEach, describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import {
  daemonSet as daemonSetKind,
  node as nodeKind,
  pod as podKind,
} from '../../src/kubernetes/types/index.ts';
import type { World, WorldOptions } from './build-world.ts';
import { createCut } from './cut-transport.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import {
  BUDGET,
  cordonAsAdmin,
  cordoned,
  createAccount,
  drainOf,
  eventsAbout,
  firstConfig,
  GUARDED,
  HOUR,
  isDone,
  kill,
  MINUTE,
  NAMESPACE,
  newTarget,
  setBudget,
  untilBlocked,
} from './story-steps.ts';
import { startWorld } from './world.ts';
import type { Running, Wrap } from './world-process.ts';

describe('a drain', () => {
  let world: World;
  let judge: Judge;
  let controllers: Running;
  afterEach(() => world.stop());

  type Beginning = WorldOptions & { readonly wrap?: Wrap; readonly endsAfterMs?: (pod: string) => number };
  const begin = async ({ wrap, endsAfterMs = () => 5_000, ...options }: Beginning = {}): Promise<void> => {
    world = await startWorld({ masters: 1, workers: 2, ...options });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    await createAccount(world);
    controllers = await world.startControllers(wrap);
    startReaper(world, { endsAfterMs });
  };
  const beginWithDaemons = async (beginning: Beginning = {}): Promise<void> => {
    await begin(beginning);
    await world.startDaemons();
    await firstConfig(world);
  };
  const budget = (allowed: number) => setBudget(world, allowed);
  const drain = async (name: string) => drainOf(await world.node(name));
  const refusal = async (name: string) => (await drain(name))?.lastRefusal;
  const answered = async (name: string) =>
    (await world.node(name)).metadata.annotations?.[annotations.lastAppliedDrain] ?? '';
  const pods = async () => (await world.kube.list(podKind)).items.map(({ metadata }) => metadata.name);
  const podUid = async (name: string) =>
    (await world.kube.get(podKind, { name, namespace: NAMESPACE }))?.metadata.uid;

  it('reports the blocking pod and budget at once, bypasses nothing, and completes when it is allowed', async () => {
    await beginWithDaemons();
    const { uid } = (await runPod(world, 'web-0', 'worker-0', GUARDED)).metadata;
    await budget(0);
    const moments = new Map<string, number>();
    world.store.subscribe({ prefix: '/nodes/worker-0', from: world.store.revision() }, (event) => {
      const text = event.kind === 'put' ? new TextDecoder().decode(event.value) : '';
      const note = (what: string) => moments.set(what, moments.get(what) ?? world.env.clock.monotonic());
      if (text.includes('"unschedulable":true')) note('cordoned');
      if (text.includes('lastRefusal')) note('reported');
    });
    await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    // Cordon, first eviction and its report on the node happen at the same virtual time.
    expect(moments.get('reported')).toBe(moments.get('cordoned'));
    const blocked = {
      ...{ namespace: NAMESPACE, pod: 'web-0', budget: BUDGET },
      message:
        "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1 healthy pods and has 1 currently",
    };
    expect(await refusal('worker-0')).toEqual(blocked);
    const events = async (reason: string) =>
      (await eventsAbout(world, 'Node', 'worker-0')).filter((one) => one.reason === reason);
    // Most refusals end within seconds.
    expect(await events('DrainBlocked')).toEqual([]);
    await world.env.clock.advance(10_000);
    expect(await events('DrainBlocked')).toMatchObject([
      {
        type: 'Warning',
        message: `node worker-0: the drain is blocked: error when evicting pods/"web-0" -n "default": disruption budget web: ${blocked.message}`,
      },
    ]);

    await world.env.clock.advance(70 * MINUTE);
    expect(await podUid('web-0')).toBe(uid);
    expect(await answered('worker-0')).toMatch(/^uncordon-/);
    expect((await world.pool('worker')).status).toMatchObject({ machineCount: 2, updatedMachineCount: 0 });
    expect(judge.mostDown.get('worker')).toBe(1);
    expect(await events('DrainBlocked')).toMatchObject([{ count: 1 }]);
    expect((await events('DrainThresholdExceeded')).length).toBeGreaterThan(0);
    expect(await events('DrainFailed')).toMatchObject([
      { message: 'node worker-0: drain exceeded timeout: 1h0m0s. Will continue to retry.' },
    ]);

    await budget(1);
    await world.untilUpdated(['worker'], 20 * MINUTE);
    expect(await podUid('web-0')).toBeUndefined();
    expect(await cordoned(world)).toEqual([]);
    expect(await drain('worker-0')).toBeUndefined();
    expect([...judge.drains]).toEqual([
      ['worker-0', 1],
      ['worker-1', 1],
    ]);
    expect(judge.faults).toEqual([]);
  });

  it('reports it as soon when the kubelet writes to the node at the same time', async () => {
    let beats = 0;
    await beginWithDaemons({
      wrap: (transport) => ({
        async send(request) {
          const response = await transport.send(request);
          if (request.path.endsWith('/eviction') && beats++ === 0) {
            const body = { metadata: { annotations: { heartbeat: 'x' } } };
            await world.kube.patch(nodeKind, { name: 'worker-0' }, { type: 'merge', body });
          }
          return response;
        },
      }),
    });
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await budget(0);
    await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    const { began } = (await drain('worker-0')) ?? {};
    expect(beats).toBe(2);
    expect(world.env.clock.now() - Date.parse(String(began))).toBeLessThan(3_000);
  });

  it('reports the next blocking pod when the first one has gone', async () => {
    await beginWithDaemons();
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await runPod(world, 'web-1', 'worker-0', GUARDED);
    await budget(0);
    await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    expect(await refusal('worker-0')).toMatchObject({ pod: 'web-0' });
    await world.kube.delete(podKind, { name: 'web-0', namespace: NAMESPACE });
    await world.env.clock.advance(20_000);
    expect(await refusal('worker-0')).toMatchObject({ pod: 'web-1', budget: BUDGET });
    await budget(1);
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it.each([
    ['within the second attempt', 200_000],
    ['while it waits for the second attempt', 120_000],
  ])('evicts a pod once that ends %s, and continues at that moment', async (_, endsAfterMs) => {
    let evictions = 0;
    await beginWithDaemons({
      endsAfterMs: () => endsAfterMs,
      wrap: (transport) => ({
        send(request) {
          if (request.path.endsWith('/eviction')) evictions++;
          return transport.send(request);
        },
      }),
    });
    await runPod(world, 'slow', 'worker-0');
    await newTarget(world, 'worker', 'hello');
    await world.until('the drain begins', async () => (await drain('worker-0')) !== undefined, MINUTE);
    const beganMs = Date.parse(String((await drain('worker-0'))?.began));
    await world.until('it ends', async () => (await answered('worker-0')).startsWith('drain-'), HOUR);
    expect(world.env.clock.now() - beganMs - endsAfterMs).toBeLessThan(2_000);
    expect(evictions).toBe(1);
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('ignores DaemonSet pods and static pods, and evicts orphans and finished pods', async () => {
    await beginWithDaemons();
    const ownedBy = (name: string) => ({
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: `${name}-1`, controller: true },
      ],
    });
    await world.kube.create(daemonSetKind, {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: NAMESPACE } },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] },
        },
      },
    });
    await runPod(world, 'agent', 'worker-0', ownedBy('agent'));
    await runPod(world, 'orphan', 'worker-0', ownedBy('gone'));
    await runPod(world, 'mirror', 'worker-0', { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    await runPod(world, 'single', 'worker-0');
    await runPod(world, 'ended', 'worker-0', ownedBy('agent'));
    await world.kube.patch(
      podKind,
      { name: 'ended', namespace: NAMESPACE },
      { type: 'merge', body: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    );
    await newTarget(world, 'worker', 'hello');
    await world.untilUpdated(['worker'], HOUR);
    expect((await pods()).toSorted()).toEqual(['agent', 'mirror']);
    expect(judge.faults).toEqual([]);
  });

  it('waits for a pod that its cache does not show yet', async () => {
    // News of pods come half a minute late.
    await beginWithDaemons({ wrap: (transport) => lateNews(transport, '/api/v1/pods', 30_000) });
    await runPod(world, 'late', 'worker-0');
    await newTarget(world, 'worker', 'hello');
    await world.untilUpdated(['worker'], HOUR);
    expect(await podUid('late')).toBeUndefined();
    expect(judge.faults).toEqual([]);
  });

  const lateNews = (transport: Parameters<Wrap>[0], path: string, delayMs: number): ReturnType<Wrap> => ({
    async send(request) {
      const response = await transport.send(request);
      if (request.path !== path || !request.query.includes('watch=true')) return response;
      const { clock } = world.env;
      return {
        ...response,
        body: (async function* () {
          for await (const piece of response.body) {
            await new Promise<void>((resolve) => {
              clock.after(delayMs, resolve);
            });
            yield piece;
          }
        })(),
      };
    },
  });

  it('keeps a cordon that existed before it', async () => {
    await begin();
    const daemons = await world.startDaemons();
    await firstConfig(world);
    await daemons.stop();
    const config = await newTarget(world, 'worker', 'hello');
    const sent = async () =>
      (await world.node('worker-0')).metadata.annotations?.[annotations.desiredConfig] === config;
    await world.until('it is sent', sent, MINUTE);
    await cordonAsAdmin(world, 'worker-0', true);
    await runPod(world, 'web-0', 'worker-0');
    await world.startDaemons();
    await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
    expect(await pods()).toEqual([]);
    expect(await cordoned(world)).toEqual(['worker-0']);
    // It still is the one node that may be out of service.
    await world.env.clock.advance(10 * MINUTE);
    expect(await cordoned(world)).toEqual(['worker-0']);
    expect(judge.drains.get('worker-1')).toBeUndefined();
    await cordonAsAdmin(world, 'worker-0', false);
    await world.untilUpdated(['worker'], HOUR);
    expect(await cordoned(world)).toEqual([]);
    expect([...judge.drains.values()]).toEqual([1, 1]);
    expect(judge.faults).toEqual([]);
  });

  it('cordons a node again that is uncordoned during it, and keeps its start time', async () => {
    await beginWithDaemons();
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await budget(0);
    await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    const began = (await drain('worker-0'))?.began;
    await world.env.clock.advance(3 * MINUTE);
    await cordonAsAdmin(world, 'worker-0', false);
    await world.env.clock.advance(1_000);
    expect(await cordoned(world)).toEqual(['worker-0']);
    expect(await answered('worker-0')).toMatch(/^uncordon-/);
    expect(await drain('worker-0')).toMatchObject({ began, cordonedBy: 'millwright' });
    expect(judge.cordons.get('worker-0')).toBe(2);
    await budget(1);
    await world.untilUpdated(['worker'], HOUR);
    expect(await cordoned(world)).toEqual([]);
    expect(judge.faults).toEqual([]);
  });

  it.each([
    [
      'uncordons and cordons again',
      async () => {
        // A running controller would react before the second write.
        await controllers.stop();
        await cordonAsAdmin(world, 'worker-0', false);
        await cordonAsAdmin(world, 'worker-0', true);
        await world.startControllers();
      },
    ],
    [
      'applies',
      async () => {
        await world.kube.apply(
          nodeKind,
          {
            ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-0' } },
            ...{ spec: { unschedulable: true } },
          },
          { fieldManager: 'gitops' },
        );
      },
    ],
  ])('keeps a cordon that another client %s during it', async (_, act) => {
    await beginWithDaemons();
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await budget(0);
    const config = await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    await act();
    await world.env.clock.advance(MINUTE);
    await budget(1);
    await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
    await world.env.clock.advance(MINUTE);
    expect(await cordoned(world)).toEqual(['worker-0']);
    expect(judge.drains.get('worker-0')).toBe(1);
    expect(judge.faults).toEqual([]);
  });

  it('does not cordon a node again that is uncordoned after the drain', async () => {
    await beginWithDaemons();
    const config = await newTarget(world, 'worker', 'hello');
    await world.until('drained', async () => (await answered('worker-0')).startsWith('drain-'), MINUTE);
    await cordonAsAdmin(world, 'worker-0', false);
    await world.env.clock.advance(5_000);
    expect(await cordoned(world)).toEqual([]);
    expect(await drain('worker-0')).toMatchObject({ cordonedBy: 'nobody' });
    // A later cordon belongs to the administrator and stays.
    await cordonAsAdmin(world, 'worker-0', true);
    await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
    expect(await cordoned(world)).toEqual(['worker-0']);
  });

  it('is skipped where the cluster has a single node', async () => {
    await begin({ masters: 1, workers: 0 });
    await world.startDaemons();
    await firstConfig(world);
    const { uid } = (await runPod(world, 'web-0', 'master-0')).metadata;
    await newTarget(world, 'master', 'hello');
    await world.untilUpdated(['master'], HOUR);
    expect(await podUid('web-0')).toBe(uid);
    expect(judge.cordons.get('master-0')).toBeUndefined();
    expect(await eventsAbout(world, 'Node', 'master-0')).toContainEqual(
      expect.objectContaining({ reason: 'Drain', message: 'Drain not required, skipping' }),
    );
    expect(judge.faults).toEqual([]);
  });

  it.each<[string, (ms: number) => unknown]>([
    ['was stopped', (ms) => world.env.clock.stall(ms)],
    ['slept with its machine', (ms) => world.env.clock.jump(ms)],
  ])('is neither overdue nor a failure of the node because the process %s for hours', async (_, pause) => {
    await beginWithDaemons();
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await budget(0);
    const config = await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    await pause(8 * HOUR);
    await world.env.clock.advance(5 * MINUTE);
    const reasons = (await eventsAbout(world, 'Node', 'worker-0')).map(({ reason }) => reason);
    expect(reasons.filter((reason) => /DrainFailed|DrainThresholdExceeded/.test(reason))).toEqual([]);
    expect((await world.pool('worker')).status?.degradedMachineCount).toBe(0);
    expect(judge.mostDown.get('worker')).toBe(1);
    await budget(1);
    await world.until('it is done', () => isDone(world, 'worker-0', config), HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('keeps its start time when the controller is killed in the middle of it', async () => {
    const cut = createCut();
    await beginWithDaemons({ wrap: cut.wrap });
    await runPod(world, 'web-0', 'worker-0', GUARDED);
    await runPod(world, 'other', 'worker-0');
    await budget(0);
    await newTarget(world, 'worker', 'hello');
    await untilBlocked(world, 'worker-0');
    const before = await drain('worker-0');
    await kill(controllers, cut);
    await world.env.clock.advance(5 * MINUTE);
    await world.startControllers();
    await world.env.clock.advance(10_000);
    const since = await drain('worker-0');
    // No controller carried out the first attempt.
    expect(since).toMatchObject({ began: before?.began, cordonedBy: 'millwright', attempts: 2 });
    expect(since?.lastRefusal).toEqual(before?.lastRefusal);
    await world.env.clock.advance(2 * MINUTE);
    expect((await drain('worker-0'))?.began).toBe(before?.began);
    expect(judge.cordons.get('worker-0')).toBe(1);
    await budget(1);
    await world.untilUpdated(['worker'], HOUR);
    expect([...judge.cordons.values()]).toEqual([1, 1]);
    expect([...judge.drains.values()]).toEqual([1, 1]);
    expect(await cordoned(world)).toEqual([]);
    expect(judge.faults).toEqual([]);
  });
});
