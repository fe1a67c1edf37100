/**
 * Rollouts over a bad connection: they end, nothing that must never be ever is, and the server is not asked more often than
 * it can bear, whatever it answers.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigNode } from '../../src/api/index.ts';
import { Failure } from '../../src/base/errors.ts';
import type { TransportRequest } from '../../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { aMachineConfig, type World } from './build-world.ts';
import { createCut } from './cut-transport.ts';
import { createFaults } from './faulty-transport.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { runPod, startReaper } from './pod-reaper.ts';
import { cordoned, createAccount, firstConfig, HOUR, MINUTE, newTarget, patchPool } from './story-steps.ts';
import { startWorld } from './world.ts';
import type { Wrap } from './world-process.ts';

/** More of them: `MILLWRIGHT_SEEDS=100`. */
const SEEDS = Array.from({ length: Number(process.env.MILLWRIGHT_SEEDS ?? 4) }, (_, index) => index + 1);
const WORKERS = 5;
/** Of a hundred requests, and of a hundred pieces of news. */
const PERCENT = 10;
const LATE_MS = 20_000;

/**
 * Requests of all controllers together, failed ones included. A process that begins in an empty cluster lists and watches
 * fifteen kinds and makes some thirty objects in its first second, which takes about a hundred with all that fails; later
 * groups are smaller. In a loop without rest these would be thousands.
 */
const MOST_PER_SECOND = 150;
const MOST_PER_MINUTE = 400;
/**
 * When there is nothing to do but to keep three dozen watches up, over a connection that keeps cutting them. What is looked
 * at now and then and fails is tried ten times in its first minute, and once in each that follows.
 */
const MOST_PER_QUIET_MINUTE = 150;

describe('a rollout over a bad connection', () => {
  let world: World;
  let judge: Judge;
  /** When a request was made, in virtual time. */
  let askedAtMs: number[];
  afterEach(() => world.stop());

  const begin = async (seed: number, wrap: Wrap, masters = 1): Promise<void> => {
    world = await startWorld({ masters, workers: WORKERS, seed });
    askedAtMs = [];
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    await createAccount(world);
    await world.startControllers((transport) => {
      const wrapped = wrap(transport);
      return {
        send(request) {
          askedAtMs.push(world.env.clock.monotonic());
          return wrapped.send(request);
        },
      };
    });
    await world.startDaemons();
    startReaper(world, { endsAfterMs: () => 5_000 });
  };
  /** The most requests in any window of this length. */
  const mostWithin = (windowMs: number, sinceMs = 0): number => {
    let most = 0;
    let from = 0;
    for (const [index, at] of askedAtMs.entries()) {
      if (at < sinceMs) from = index + 1;
      while (from < index && at - (askedAtMs[from] ?? at) >= windowMs) from++;
      if (at >= sinceMs) most = Math.max(most, index - from + 1);
    }
    return most;
  };
  const isBounded = (what: string): void => {
    const [second, minute] = [mostWithin(1_000), mostWithin(MINUTE)];
    process.stdout.write(`${what}: at most ${second} requests in a second, ${minute} in a minute\n`);
    expect(second).toBeLessThanOrEqual(MOST_PER_SECOND);
    expect(minute).toBeLessThanOrEqual(MOST_PER_MINUTE);
  };
  const endsWell = async (): Promise<void> => {
    expect(judge.faults).toEqual([]);
    expect(await cordoned(world)).toEqual([]);
    const drains = Array.from({ length: WORKERS }, (_, index) => judge.drains.get(`worker-${index}`));
    expect(drains).toEqual(Array.from({ length: WORKERS }, () => 1));
  };

  it.each(SEEDS)('completes with seed %i, within the request limits', async (seed) => {
    let percent = PERCENT;
    // The connection has its own luck: what it draws must not change what the cluster draws.
    let wrap: Wrap = (one) => one;
    await begin(seed, (transport) => ({ send: (request) => wrap(transport).send(request) }));
    const { clock } = world.env;
    const faults = createFaults({
      ...{ random: seededRandom(1000 + seed), clock, percent: () => percent, lateMs: LATE_MS },
    });
    wrap = faults.wrap;
    judge.allow('worker', 2);
    await world.untilUpdated(['master', 'worker'], 20 * MINUTE);
    await patchPool(world, 'worker', { maxUnavailable: 2 });
    for (let index = 0; index < WORKERS; index++) await runPod(world, `pod-${index}`, `worker-${index}`);
    const config = await newTargetSlowly();
    await world.untilUpdated(['worker'], 2 * HOUR);
    const nodes = (await world.nodes()).filter(({ metadata }) => metadata.name.startsWith('worker'));
    for (const { metadata } of nodes) expect(metadata.annotations?.[annotations.currentConfig]).toBe(config);
    await endsWell();
    isBounded(`seed ${seed}`);

    // Nothing is left to do, and the connection is as bad as before.
    await clock.advance(5 * MINUTE);
    const quietSinceMs = clock.monotonic();
    await clock.advance(30 * MINUTE);
    expect(mostWithin(MINUTE, quietSinceMs)).toBeLessThanOrEqual(MOST_PER_QUIET_MINUTE);

    for (const fault of ['500', '429', '409', '410', 'lost request', 'lost answer'])
      expect(faults.counts.get(fault), fault).toBeGreaterThan(0);
    for (const fault of ['late news', 'cut watch', 'repeated news'])
      expect(faults.counts.get(fault), fault).toBeGreaterThan(5);

    percent = 0;
    await newTarget(world, 'worker', 'after the faults');
    await world.untilUpdated(['worker', 'master'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  const newTargetSlowly = async (): Promise<string> => {
    const before = (await world.pool('worker')).spec.configuration?.name ?? '';
    await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
    const target = async () => (await world.pool('worker')).spec.configuration?.name ?? '';
    await world.until('a new target', async () => (await target()) !== before, 10 * MINUTE);
    return target();
  };

  it.each([
    ['got no response', true],
    ['is not in its cache yet', false],
  ])('counts a node as sent whose patch %s, and sends no other in its place', async (_, isAnswerLost) => {
    const namespace = 'openshift-machine-config-operator';
    const late = { isOver: true, isMoved: false };
    const isOver = (): boolean => late.isOver;
    await begin(
      1,
      (transport) => ({
        async send(request) {
          const response = await transport.send(request);
          if (isWatchOf(request, '/api/v1/nodes'))
            return { ...response, body: heldBack(response.body, isOver) };
          const isSending = request.method === 'PATCH' && request.path === '/api/v1/nodes/master-0';
          if (isOver() || !isSending || late.isMoved) return response;
          late.isMoved = true;
          // In the same moment the operator moves to that node, which would now have to wait for the others.
          await runPod(world, 'operator', 'master-0', {
            namespace,
            labels: { 'k8s-app': 'machine-config-operator' },
          });
          if (isAnswerLost) throw new Failure('transient', 'Unreachable', 'the answer was lost');
          return response;
        },
      }),
      3,
    );
    await firstConfig(world);
    await createAccount(world, namespace);
    late.isOver = false;
    await newTarget(world, 'master', 'hello');
    // Whatever happens to it makes the controller look again at what it knows of the node.
    const body = { metadata: { labels: { seen: 'yes' } } };
    await world.kube.patch(machineConfigNode, { name: 'master-0' }, { type: 'merge', body });
    await world.env.clock.advance(2 * MINUTE);
    late.isOver = true;
    await world.untilUpdated(['master'], HOUR);
    expect(judge.faults).toEqual([]);
    expect(judge.mostDown.get('master')).toBe(1);
  });

  it('renders the first configuration from all base configs, however late their events arrive', async () => {
    const late = { isOver: false };
    const machineConfigs = '/apis/machineconfiguration.openshift.io/v1/machineconfigs';
    await begin(1, (transport) => ({
      async send(request) {
        const response = await transport.send(request);
        if (!isWatchOf(request, machineConfigs)) return response;
        // The first news are there at once, all others much later.
        return { ...response, body: heldBack(response.body, () => late.isOver, 1) };
      },
    }));
    await world.env.clock.advance(2 * MINUTE);
    late.isOver = true;
    await firstConfig(world);
    await world.env.clock.advance(2 * MINUTE);
    const rendered = (await world.kube.list(machineConfig)).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('rendered-worker-'));
    expect(rendered).toEqual([(await world.pool('worker')).spec.configuration?.name]);
    expect([...judge.drains]).toEqual([]);
    expect(judge.faults).toEqual([]);
  });

  const isWatchOf = ({ path, query }: TransportRequest, of: string) =>
    path === of && query.includes('watch=true');

  /** News after the first few wait until the condition holds. */
  const heldBack = async function* (pieces: AsyncIterable<Uint8Array>, isOver: () => boolean, first = 0) {
    let count = 0;
    for await (const piece of pieces) {
      while (count >= first && !isOver())
        await new Promise<void>((resolve) => {
          world.env.clock.after(1_000, resolve);
        });
      count++;
      yield piece;
    }
  };

  it('sends few requests while every write fails, and continues when they succeed', async () => {
    let check: Wrap = (one) => one;
    await begin(1, (transport) => ({ send: (request) => check(transport).send(request) }));
    await firstConfig(world);
    check = (transport) => ({
      async send(request) {
        if (request.method !== 'GET') throw new TypeError('the storage is full');
        return await transport.send(request);
      },
    });
    const sinceMs = world.env.clock.monotonic();
    await world.apply(aMachineConfig('50-worker-early', 'worker', 'hello'));
    // Nodes have heartbeats all the while.
    for (let second = 0; second < 600; second += 10) {
      const body = { metadata: { annotations: { heartbeat: String(second) } } };
      for (let index = 0; index < WORKERS; index++)
        await world.kube.patch(nodeKind, { name: `worker-${index}` }, { type: 'merge', body });
      await world.env.clock.advance(10_000);
    }
    expect(mostWithin(MINUTE, sinceMs)).toBeLessThanOrEqual(MOST_PER_QUIET_MINUTE);
    check = (one) => one;
    await newTargetSlowly();
    await world.untilUpdated(['worker'], HOUR);
    await endsWell();
  });

  it('sends few requests while there is no server, and continues when there is one', async () => {
    const cut = createCut();
    await begin(1, cut.wrap);
    await firstConfig(world);
    await newTarget(world, 'worker', 'hello');
    await world.until('a node is cordoned', async () => (await cordoned(world)).length === 1, HOUR);
    const sinceMs = world.env.clock.monotonic();
    cut.cut();
    await world.env.clock.advance(20 * MINUTE);
    expect(mostWithin(MINUTE, sinceMs)).toBeLessThanOrEqual(MOST_PER_QUIET_MINUTE);
    cut.restore();
    await world.untilUpdated(['worker'], HOUR);
    await endsWell();
  });
});
