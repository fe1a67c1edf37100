/** Nodes are sent several at a time: how fast over a slow connection, and what holds when it fails in the middle. */
import { afterEach, describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import { Failure } from '../../src/base/errors.ts';
import type { TransportRequest } from '../../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { World } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import { firstConfig, HOUR, MINUTE, newTarget, patchPool } from './story-steps.ts';
import { startWorld } from './world.ts';
import type { Wrap } from './world-process.ts';

const LATENCY_MS = 50;
const LIMIT_MS = 120_000;

describe('nodes that are sent to a new target', () => {
  let world: World;
  let judge: Judge;
  /** What the connection of the controllers does; it begins as a good one. */
  let wrap: Wrap;
  afterEach(() => world.stop());

  const begin = async (workers: number, places: number): Promise<void> => {
    world = await startWorld({ masters: 1, workers });
    wrap = (one) => one;
    judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    judge.allow('worker', places);
    await world.startControllers((transport) => ({ send: (request) => wrap(transport).send(request) }));
    await world.startDaemons();
    await firstConfig(world);
    await patchPool(world, 'worker', { maxUnavailable: places });
    await world.env.clock.advance(MINUTE);
  };
  /** In virtual time: when each node was sent. */
  const sendings = (): { readonly atMs: ReadonlyMap<string, number>; readonly busy: () => number } => {
    const atMs = new Map<string, number>();
    const busy = new Set<string>();
    let most = 0;
    world.store.subscribe({ prefix: '/nodes/worker', from: world.store.revision() }, (event) => {
      if (event.kind !== 'put') return;
      // The store holds what the server wrote.
      const { metadata } = JSON.parse(new TextDecoder().decode(event.value)) as {
        readonly metadata: {
          readonly name: string;
          readonly annotations: { readonly [key: string]: string };
        };
      };
      const { [annotations.desiredConfig]: desired, [annotations.currentConfig]: current } =
        metadata.annotations;
      if (desired === current) busy.delete(metadata.name);
      else busy.add(metadata.name);
      most = Math.max(most, busy.size);
      if (desired !== current && !atMs.has(metadata.name))
        atMs.set(metadata.name, world.env.clock.monotonic());
    });
    return { atMs, busy: () => most };
  };
  const isSending = ({ method, path }: TransportRequest) =>
    method === 'PATCH' && path.startsWith('/api/v1/nodes/worker');
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      world.env.clock.after(ms, resolve);
    });

  it(
    'fill 100 places within two seconds although each request takes 50 ms',
    async () => {
      await begin(120, 100);
      const { atMs, busy } = sendings();
      wrap = (transport) => ({
        async send(request) {
          await pause(LATENCY_MS);
          return await transport.send(request);
        },
      });
      await newTarget(world, 'worker', 'hello');
      await world.env.clock.advance(10_000);
      const times = [...atMs.values()];
      expect(times).toHaveLength(100);
      expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(2_000);
      await world.untilUpdated(['worker'], HOUR);
      expect(busy()).toBe(100);
      expect(judge.faults).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each([
    ['in one write with their taint removed', false, 1],
    ['although their taints changed just before', true, 3],
  ])('are sent %s', async (_, isChanged, writes) => {
    await begin(3, 1);
    const written: string[] = [];
    const hasBeenChanged = new Set<string>();
    wrap = (transport) => ({
      async send(request) {
        const name = request.path.split('/').at(-1) ?? '';
        const body = isSending(request) ? new TextDecoder().decode(request.body) : '';
        const isSent = body.includes(annotations.desiredConfig) || body.includes('"taints"');
        if (body.includes(annotations.desiredConfig) && isChanged && !hasBeenChanged.has(name)) {
          hasBeenChanged.add(name);
          const { spec } = await world.node(name);
          const taints = [...(spec.taints ?? []), { key: 'gpu', effect: 'NoSchedule' }];
          await world.kube.patch(nodeKind, { name }, { type: 'merge', body: { spec: { taints } } });
        }
        if (isSent) written.push(name);
        return await transport.send(request);
      },
    });
    await newTarget(world, 'worker', 'hello');
    await world.untilUpdated(['worker'], HOUR);
    await world.env.clock.advance(MINUTE);
    // The second one got the taint of a waiting node before.
    expect(written.filter((name) => name === 'worker-1')).toHaveLength(1 + writes);
    const left = (await world.node('worker-1')).spec.taints ?? [];
    expect(left.map(({ key }) => key).filter((key) => !key.startsWith('node.'))).toEqual(
      isChanged ? ['gpu'] : [],
    );
    expect(judge.faults).toEqual([]);
  });

  it.each([
    ['the requests are lost', false],
    ['the answers are lost', true],
  ])('are never more than allowed, nor is any sent in place of another, when %s', async (_, isReached) => {
    await begin(30, 10);
    const { atMs, busy } = sendings();
    let sent = 0;
    const refusedAfter: number[] = [];
    wrap = (transport) => ({
      async send(request) {
        if (!isSending(request)) return await transport.send(request);
        const number = ++sent;
        await pause(LATENCY_MS);
        // Of each ten the fourth to the sixth fail, and the first passes late.
        if (number % 10 === 1) await pause(10 * LATENCY_MS);
        if (number % 10 < 4 || number % 10 > 6) return await transport.send(request);
        if (isReached) await transport.send(request);
        refusedAfter.push(sent);
        throw new Failure('transient', 'Unreachable', 'the connection is cut');
      },
    });
    await newTarget(world, 'worker', 'hello');
    await world.env.clock.advance(10_000);
    expect(refusedAfter.length).toBeGreaterThan(0);
    expect(atMs.size).toBeLessThanOrEqual(10);
    wrap = (one) => one;
    await world.untilUpdated(['worker'], HOUR);
    expect(busy()).toBe(10);
    expect(judge.faults).toEqual([]);
    expect([...judge.drains.values()]).toEqual(Array.from({ length: 30 }, () => 1));
  });
});
