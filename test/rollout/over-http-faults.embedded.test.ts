/**
 * Rollouts over HTTP with faults in the middle of them.
 *
 * Controllers are killed: their sockets close, at a write that never reached the server or at one whose response was
 * lost. Their successor continues: never too many nodes are unavailable, no node is drained twice, and none is missed.
 *
 * The server rejects, forgets and breaks off, or connections hang: rollouts complete nevertheless, and clients stay
 * within their request limits.
 */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/env.ts';
import type { TransportRequest } from '../../src/kubernetes/client/index.ts';
import { lease as leaseKind } from '../../src/kubernetes/types/index.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { aMachineConfig } from './build-world.ts';
import { LEASE, OPERATOR_LEASE } from './control.ts';
import { createCut } from './cut-transport.ts';
import { createHandlerFaults } from './faulty-handler.ts';
import { runOverHttp, type Scene, STORY_LIMIT_MS } from './http-story.ts';
import type { HttpWorld } from './http-world.ts';
import { isRolledOut, leftovers, renderedCount } from './kill-points.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import { type AskedRequest, askedRequest, mostAlikeWithin, mostWithin } from './request-rates.ts';
import { createSilentProxy } from './silent-proxy.ts';
import { cordoned, firstConfig, HOUR, isDone, kill, newTarget, untilHalfway } from './story-steps.ts';
import type { Patience, Wrap } from './world-process.ts';

/** In real time each kill takes a while, so some writes are tried; `MILLWRIGHT_EVERY_WRITE=1` tries all. */
const STRIDE = process.env.MILLWRIGHT_EVERY_WRITE === '1' ? 1 : 6;
/** Clusters at once, which share the writes of one variant among them. */
const LANES = 3;
/** More than any rollout of three nodes needs. */
const MAX_WRITES = 150;
const POOLS = ['master', 'worker'] as const;
const NODES = ['master-0', 'worker-0', 'worker-1'] as const;

const WORKERS = ['worker-0', 'worker-1', 'worker-2'] as const;
const WORLD = { masters: 1, workers: WORKERS.length };
const PERCENT = 10;
const RATE_WINDOW_MS = 10_000;
/**
 * In a loop without rest these would be ten thousands. `faults.test.ts` bounds the requests of one second, in virtual time: here a second
 * holds as much as the machine manages, such as all lists and watches of a start.
 */
const MOST_PER_TEN_SECONDS = 800;
/** Watches of a quick cluster end after two seconds at the earliest, and failures are retried with backoff. */
const MOST_ALIKE_PER_TEN_SECONDS = 30;
/** Bad luck may spare a request for a while; not for so long. */
const MOST_ROUNDS = 5;
const OUTAGE_MS = 4_000;
/** Like the other waits of a quick cluster, those after failures are shorter; so are watches, which then fail more often. */
const QUICK: Patience = {
  limits: { answerMs: 3_000 },
  reflector: {
    ...{ retry: { baseMs: 100, factor: 2, capMs: 3_000, jitter: 0.5 }, healthyMs: 1_000 },
    watchSeconds: { min: 2, max: 4 },
  },
};

describe.concurrent('over HTTP', { timeout: STORY_LIMIT_MS * 10 }, () => {
  it('a rollout completes though every connection hangs in the middle of it', async () => {
    const proxy = createSilentProxy();
    try {
      await runOverHttp({ ...WORLD, detour: proxy.listen, patience: QUICK }, async ({ world, judge }) => {
        const asked: AskedRequest[] = [];
        await world.startControllers(({ send }) => ({
          send(request) {
            asked.push(askedRequest(systemClock.monotonic(), request));
            return send(request);
          },
        }));
        let isReleased = false;
        await world.startDaemons({ isHeld: (node) => node === 'worker-1' && !isReleased });
        await firstConfig(world);
        const config = await newTarget(world, 'worker', 'hello');
        await untilHalfway(world, config);
        const before = asked.length;
        expect(proxy.fallSilent()).toBeGreaterThan(10);
        isReleased = true;
        await world.untilUpdated(['worker'], HOUR);
        process.stdout.write(`after the silence: ${asked.length - before} requests; ${rates(asked)}\n`);
        isBounded(asked);
        expect(await cordoned(world)).toEqual([]);
        for (const node of WORKERS)
          expect([node, judge.drains.get(node), await isDone(world, node, config)]).toEqual([node, 1, true]);
      });
    } finally {
      proxy.close();
    }
  });

  it.each([
    ['before a write is sent', { isReached: false, first: 1 }],
    ['before the answer to a write is seen', { isReached: true, first: 1 + Math.floor(STRIDE / 2) }],
  ])(
    'a controller that is killed %s leaves a rollout behind that the next one ends',
    async (when, variant) => {
      const killed: number[] = [];
      let writes = MAX_WRITES;
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        runOverHttp({ masters: 1, workers: 2 }, async (scene) => {
          await settle(scene.world);
          for (let at = variant.first + lane * STRIDE; at <= writes; at += LANES * STRIDE) {
            const rollout = await rollOut(scene, { atWrite: at, isReached: variant.isReached });
            if (rollout.isKilled) killed.push(at);
            else writes = Math.min(writes, rollout.writes);
          }
        }),
      );
      await Promise.all(lanes);
      expect(writes).toBeLessThan(MAX_WRITES);
      expect(killed.length).toBeGreaterThan(20 / STRIDE);
      process.stdout.write(`controllers killed ${when}: at ${killed.length} of ${writes} writes\n`);
    },
  );

  const settle = async (world: HttpWorld): Promise<void> => {
    const first = await world.startControllers();
    await world.startDaemons();
    startReaper(world, { endsAfterMs: () => 50 });
    await firstConfig(world);
    await world.until('nothing is left to do', async () => (await leftovers(world)).length === 0, HOUR);
    await first.stop();
  };

  type Kill = { readonly atWrite: number; readonly isReached: boolean };

  /** One rollout of both pools, with one kill unless it is over before. */
  const rollOut = async ({ world, judge }: Scene, { atWrite, isReached }: Kill) => {
    const before = { drains: new Map(judge.drains), cordons: new Map(judge.cordons) };
    const renderedBefore = await renderedCount(world);
    const text = `try ${atWrite}`;
    const where = `killed ${isReached ? 'after' : 'before'} write ${atWrite}`;
    for (const node of NODES) await runPod(world, `pod-of-${node}`, node);
    const cut = createCut({ atWrite, isReached });
    const doomed = await world.startControllers(cut.wrap);
    await Promise.all(POOLS.map((pool) => world.apply(aMachineConfig(`50-${pool}-motd`, pool, text))));
    const isOver = async () => (await isRolledOut(world, text)) && (await leftovers(world)).length === 0;
    await world.until(`write ${atWrite} or the end`, async () => cut.isCut() || (await isOver()), HOUR);
    const isKilled = cut.isCut();
    await (isKilled ? kill(doomed, cut) : doomed.stop());
    const next = await world.startControllers();
    await world.until(`the end, ${where}`, isOver, HOUR);
    await next.stop();
    const grown = (counts: ReadonlyMap<string, number>, earlier: ReadonlyMap<string, number>) =>
      NODES.map((node) => [node, (counts.get(node) ?? 0) - (earlier.get(node) ?? 0)]);
    const once = NODES.map((node) => [node, 1]);
    expect(judge.faults, where).toEqual([]);
    expect(grown(judge.drains, before.drains), `drains, ${where}`).toEqual(once);
    expect(grown(judge.cordons, before.cordons), `cordons, ${where}`).toEqual(once);
    expect(await renderedCount(world), `rendered configs, ${where}`).toBe(renderedBefore + POOLS.length);
    return { isKilled, writes: cut.writes() };
  };

  it('of two controllers one leads, and when it is killed the other completes the rollout without an extra drain', () =>
    runOverHttp({ masters: 1, workers: 3 }, async ({ world, judge }) => {
      const holders = async () =>
        Promise.all(
          [LEASE, OPERATOR_LEASE].map(
            async (place) => (await world.kube.get(leaseKind, place))?.spec?.holderIdentity,
          ),
        );
      const untilLed = (by: string) =>
        world.until(`${by} leads`, async () => (await holders()).every((one) => one === by), HOUR);
      const cut = createCut();
      const first = await world.startCandidate('first', cut.wrap);
      await untilLed('first');
      let writes = 0;
      const counting: Wrap = ({ send }) => ({
        send(request) {
          if (isWork(request)) writes++;
          return send(request);
        },
      });
      await world.startCandidate('second', counting);
      let isReleased = false;
      await world.startDaemons({ isHeld: (node) => node === 'worker-1' && !isReleased });
      await firstConfig(world);
      const config = await newTarget(world, 'worker', 'hello');
      await untilHalfway(world, config);
      expect([await holders(), writes]).toEqual([['first', 'first'], 0]);
      await kill(first, cut);
      isReleased = true;
      await untilLed('second');
      await world.untilUpdated(['worker'], HOUR);
      expect(writes).toBeGreaterThan(5);
      expect(await cordoned(world)).toEqual([]);
      for (const name of ['worker-0', 'worker-1', 'worker-2']) {
        expect([name, judge.drains.get(name), judge.cordons.get(name)]).toEqual([name, 1, 1]);
        expect(await isDone(world, name, config)).toBe(true);
      }
    }));

  it.each([1, 2])('a rollout completes though the server fails often (seed %i)', async (seed) => {
    let isDown = false;
    let revision = () => 0;
    const { stand, counts, names, asked } = createHandlerFaults({
      ...{ random: seededRandom(seed), now: () => systemClock.monotonic(), percent: () => PERCENT },
      ...{ isDown: () => isDown, revision: () => revision() },
    });
    await runOverHttp({ ...WORLD, wrapHandler: stand, patience: QUICK }, async ({ world, judge }) => {
      revision = () => world.store.revision();
      await world.startControllers();
      await world.startDaemons();
      startReaper(world, { endsAfterMs: () => 50 });
      await firstConfig(world);
      const missing = () => names.filter((name) => !counts.has(name));
      let rounds = 0;
      do {
        rounds++;
        for (const node of WORKERS) await runPod(world, `pod-of-${node}`, node);
        const config = await newTarget(world, 'worker', `round ${rounds}`);
        await world.until('one is down', async () => (await cordoned(world)).length > 0, HOUR);
        await outage();
        await world.untilUpdated(['worker'], HOUR);
        expect(await cordoned(world)).toEqual([]);
        for (const node of WORKERS)
          expect([node, judge.drains.get(node), await isDone(world, node, config)]).toEqual([
            node,
            rounds,
            true,
          ]);
      } while (missing().length > 0 && rounds < MOST_ROUNDS);
      const summary = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
      process.stdout.write(
        `seed ${seed}: ${rounds} rounds, ${asked.length} requests, ${rates(asked)}; ${summary}\n`,
      );
      expect(missing()).toEqual([]);
      isBounded(asked);

      /** For a while every request fails: a client without backoff would exceed the limits. */
      async function outage(): Promise<void> {
        isDown = true;
        await new Promise<void>((resolve) => {
          systemClock.after(OUTAGE_MS, resolve);
        });
        isDown = false;
      }
    });
  });
});

/** A write, and not one that keeps or takes a Lease. */
function isWork({ method, path }: TransportRequest): boolean {
  return method !== 'GET' && !path.includes('/leases');
}

function isBounded(asked: readonly AskedRequest[]): void {
  expect(mostWithin(RATE_WINDOW_MS, asked)).toBeLessThanOrEqual(MOST_PER_TEN_SECONDS);
  const [alike, line] = mostAlikeWithin(RATE_WINDOW_MS, asked);
  expect(alike, line).toBeLessThanOrEqual(MOST_ALIKE_PER_TEN_SECONDS);
}

function rates(asked: readonly AskedRequest[]): string {
  const [alike, line] = mostAlikeWithin(RATE_WINDOW_MS, asked);
  return `within ten seconds at most ${mostWithin(RATE_WINDOW_MS, asked)}, and ${alike} of ${line}`;
}
