/**
 * Two controller processes and one Lease: one of them acts at a time, whatever becomes of the other, and what one began
 * the other ends.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import type { TransportRequest } from '../../src/kubernetes/client/index.ts';
import { lease as leaseKind, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { LEASE } from './control.ts';
import { type Cut, createCut } from './cut-transport.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { cordoned, firstConfig, HOUR, kill, MINUTE, newTarget, target } from './story-steps.ts';
import { LEASE_SETTINGS, startWorld } from './world.ts';
import type { Running, Wrap } from './world-process.ts';

type Candidate = {
  readonly running: Running;
  readonly cut: Cut;
  /** When it wrote anything but its Lease, in virtual time. */
  readonly wroteAtMs: readonly number[];
};

describe('of two controllers', () => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const candidate = async (identity: string): Promise<Candidate> => {
    const cut = createCut();
    const wroteAtMs: number[] = [];
    const wrap: Wrap = (transport) => {
      const cuttable = cut.wrap(transport);
      return {
        send(request) {
          if (isWork(request) && !cut.isCut()) wroteAtMs.push(world.env.clock.monotonic());
          return cuttable.send(request);
        },
      };
    };
    return { running: await world.startCandidate(identity, wrap), cut, wroteAtMs };
  };
  const begin = async (): Promise<readonly [Candidate, Candidate]> => {
    world = await startWorld({ masters: 1, workers: 3 });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    const first = await candidate('first_once');
    await world.env.clock.advance(1_000);
    const second = await candidate('second_once');
    await world.startDaemons();
    await firstConfig(world);
    return [first, second];
  };
  const holder = async () => (await world.kube.get(leaseKind, LEASE))?.spec?.holderIdentity;
  const updated = async () => (await world.pool('worker')).status?.updatedMachineCount ?? 0;
  const untilHalfway = async (): Promise<string> => {
    const config = await newTarget(world, 'worker', 'hello');
    await world.until('one of three is updated', async () => (await updated()) === 1, HOUR);
    // The next one is in the middle of it.
    await world.until('the next is cordoned', async () => (await cordoned(world)).length === 1, HOUR);
    return config;
  };
  const endsWell = async (config: string): Promise<void> => {
    await world.untilUpdated(['worker'], HOUR);
    expect(await target(world, 'worker')).toBe(config);
    expect(await cordoned(world)).toEqual([]);
    for (const name of ['worker-0', 'worker-1', 'worker-2']) {
      expect([name, judge.drains.get(name), judge.cordons.get(name)]).toEqual([name, 1, 1]);
    }
    expect(judge.faults).toEqual([]);
  };
  const nothingIsWrittenFor = async (durationMs: number, { wroteAtMs }: Candidate): Promise<void> => {
    const before = wroteAtMs.length;
    await world.env.clock.advance(durationMs);
    expect(wroteAtMs.length).toBe(before);
  };

  it('one leads, and the other only watches the Lease', async () => {
    const [first, second] = await begin();
    expect(await holder()).toBe('first_once');
    const config = await newTarget(world, 'worker', 'hello');
    await endsWell(config);
    expect(first.wroteAtMs.length).toBeGreaterThan(20);
    expect(second.wroteAtMs).toEqual([]);
    // Not even a list: it polls the Lease.
    const asked = second.running.requests();
    await world.env.clock.advance(10 * MINUTE);
    expect(second.running.requests() - asked).toBeLessThanOrEqual((10 * MINUTE) / LEASE_SETTINGS.retryMs);
  });

  it('the other continues after the Lease has expired, if the first is killed', async () => {
    const [first, second] = await begin();
    const config = await untilHalfway();
    const killedAtMs = world.env.clock.monotonic();
    await kill(first.running, first.cut);
    expect(await holder()).toBe('first_once');
    await world.until('the other leads', async () => (await holder()) === 'second_once', 2 * MINUTE);
    const waitedMs = world.env.clock.monotonic() - killedAtMs;
    expect(waitedMs).toBeGreaterThan(LEASE_SETTINGS.durationMs - LEASE_SETTINGS.retryMs - 1_000);
    expect(waitedMs).toBeLessThan(LEASE_SETTINGS.durationMs + 2 * LEASE_SETTINGS.retryMs);
    await endsWell(config);
    expect(second.wroteAtMs.length).toBeGreaterThan(5);
  });

  it('the next process of the same pod continues at once, if the first is killed', async () => {
    const [first, second] = await begin();
    const config = await untilHalfway();
    await kill(first.running, first.cut);
    const restartedAtMs = world.env.clock.monotonic();
    const next = await candidate('first_again');
    await world.until('it leads', async () => (await holder()) === 'first_again', 2 * MINUTE);
    expect(world.env.clock.monotonic() - restartedAtMs).toBeLessThanOrEqual(1_000);
    await endsWell(config);
    expect(next.wroteAtMs.length).toBeGreaterThan(5);
    expect(second.wroteAtMs).toEqual([]);
  });

  it('the other continues at once, if the first is stopped', async () => {
    const [first] = await begin();
    const config = await untilHalfway();
    const stoppedAtMs = world.env.clock.monotonic();
    await first.running.stop();
    expect(await holder()).toBeUndefined();
    await world.until('the other leads', async () => (await holder()) === 'second_once', 2 * MINUTE);
    // The interval of its polls.
    expect(world.env.clock.monotonic() - stoppedAtMs).toBeLessThan(1.5 * LEASE_SETTINGS.retryMs);
    await endsWell(config);
  });

  it('the first writes nothing once the other may lead, if it was disconnected and comes back', async () => {
    const [first, second] = await begin();
    const config = await untilHalfway();
    first.cut.cut();
    await world.until('the other leads', async () => (await holder()) === 'second_once', 2 * MINUTE);
    const takenAtMs = world.env.clock.monotonic();
    first.cut.restore();
    await endsWell(config);
    expect(Math.max(...first.wroteAtMs)).toBeLessThan(takenAtMs - LEASE_SETTINGS.retryMs);
    expect(Math.min(...second.wroteAtMs)).toBeGreaterThan(Math.max(...first.wroteAtMs));
    // It stands by again: should the other go, it leads.
    await nothingIsWrittenFor(5 * MINUTE, first);
    await second.running.stop();
    await world.until('the first leads again', async () => (await holder()) === 'first_once', 2 * MINUTE);
    await newTarget(world, 'worker', 'again');
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it.each<[string, (ms: number) => unknown]>([
    ['both are stopped', (ms) => world.env.clock.stall(ms)],
    ['both sleep with their machine', (ms) => world.env.clock.jump(ms)],
  ])(
    'one continues when %s for longer than the Lease lasts, in the middle of a rollout',
    async (_, pause) => {
      await begin();
      const config = await untilHalfway();
      await pause(HOUR);
      await endsWell(config);
      const { degradedMachineCount } = (await world.pool('worker')).status ?? {};
      expect(degradedMachineCount).toBe(0);
    },
  );

  /** A leader that cannot reach its Lease, while all other requests succeed. */
  const blindLeader = async (slow: (request: TransportRequest) => number = () => 0) => {
    world = await startWorld({ masters: 1, workers: 3 });
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    const { clock } = world.env;
    const state = { isBlind: (): boolean => false, renewedAtMs: 0, wroteAtMs: [0] };
    const running = await world.startCandidate('first_once', (transport) => ({
      async send(request) {
        const isLease = request.path.includes('/leases');
        if (isLease && state.isBlind()) return await new Promise(() => undefined);
        const response = await transport.send(request);
        if (isLease && request.method !== 'GET') state.renewedAtMs = clock.monotonic();
        if (isWork(request)) state.wroteAtMs.push(clock.monotonic());
        const delayMs = state.isBlind() ? slow(request) : 0;
        if (delayMs > 0)
          await new Promise<void>((resolve) => {
            clock.after(delayMs, resolve);
          });
        return response;
      },
    }));
    await world.startDaemons();
    await firstConfig(world);
    return { running, state };
  };

  it('the first stops before its Lease expires, if only the Lease cannot be renewed', async () => {
    const { state } = await blindLeader();
    state.isBlind = () => true;
    // Constant work: the test changes the desired config of a node, and the controller reverts it.
    for (let second = 0; second < 60; second++) {
      const body = { metadata: { annotations: { [annotations.desiredConfig]: `x${second}` } } };
      await world.kube.patch(nodeKind, { name: 'worker-0' }, { type: 'merge', body });
      await world.env.clock.advance(1_000);
    }
    const lastMs = Math.max(...state.wroteAtMs);
    expect(lastMs).toBeGreaterThan(state.renewedAtMs);
    expect(lastMs - state.renewedAtMs).toBeLessThanOrEqual(LEASE_SETTINGS.renewMs);
  });

  it('the first aborts a write of its term whose response comes too late', async () => {
    const slowMs = LEASE_SETTINGS.durationMs + 5_000;
    const { running, state } = await blindLeader(({ method, path }) =>
      method === 'GET' && path === '/api/v1/pods' ? slowMs : 0,
    );
    state.isBlind = () => true;
    await newTarget(world, 'worker', 'hello');
    await world.env.clock.advance(2 * slowMs);
    // The drain would be answered after the list of its pods.
    expect(await cordoned(world)).toEqual(['worker-0']);
    expect(judge.drains.get('worker-0')).toBeUndefined();
    expect(Math.max(...state.wroteAtMs) - state.renewedAtMs).toBeLessThanOrEqual(LEASE_SETTINGS.renewMs);
    // It did not wait for that answer beyond its term, so it has ended as it should.
    await running.stop();
  });
});

/** A write, and not one that keeps or takes the Lease. */
function isWork({ method, path }: TransportRequest): boolean {
  return method !== 'GET' && !path.includes('/leases');
}
