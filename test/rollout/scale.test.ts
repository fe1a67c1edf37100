/** Many nodes: the same story is the same to the last byte, and an event costs what it changes, not what the pool holds. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { createLookCounter, type Looks } from './counting-caches.ts';
import { watchAsJudge } from './judge.ts';
import { cordoned, HOUR, MINUTE, newTarget, patchPool, target } from './story-steps.ts';
import { startWorld } from './world.ts';

/** `MILLWRIGHT_NODES=1000` for the full one. */
const NODES = Number(process.env.MILLWRIGHT_NODES ?? 100);
const LIMIT_MS = 600_000;

describe('a rollout over many nodes', () => {
  it(
    'is the same twice, to the last byte of the store',
    async () => {
      const [first, second] = [await rollOut(), await rollOut()];
      process.stdout.write(
        `${NODES} nodes: ${first.seconds.toFixed(1)} s and ${second.seconds.toFixed(1)} s, ${first.events} writes\n`,
      );
      expect(second.events).toBe(first.events);
      expect(second.trace).toBe(first.trace);
    },
    LIMIT_MS,
  );

  type Run = { readonly trace: string; readonly events: number; readonly seconds: number };

  const rollOut = async (): Promise<Run> => {
    const world = await startWorld({ masters: 1, workers: NODES, seed: 7 });
    const judge = watchAsJudge(world.store, (node) => node.replace(/-\d+$/, ''));
    const width = Math.ceil(NODES / 10);
    judge.allow('worker', width);
    const hash = createHash('sha256');
    let events = 0;
    world.store.subscribe({ prefix: '', from: world.store.revision() }, (event) => {
      events++;
      hash.update(`${event.kind} ${event.revision} ${event.key}\n`);
      if (event.kind === 'put') hash.update(event.value);
    });
    await world.startControllers();
    await world.startDaemons();
    await world.untilUpdated(['master', 'worker'], HOUR);
    await patchPool(world, 'worker', { maxUnavailable: width });
    const beganAt = performance.now();
    await newTarget(world, 'worker', 'hello');
    await world.untilUpdated(['worker'], 24 * HOUR);
    const seconds = (performance.now() - beganAt) / 1000;
    expect(judge.faults).toEqual([]);
    expect(judge.mostDown.get('worker')).toBe(width);
    expect(await cordoned(world)).toEqual([]);
    expect([...judge.drains].filter(([, count]) => count !== 1)).toEqual([]);
    await world.stop();
    return { trace: hash.digest('hex'), events, seconds };
  };

  it(
    'costs a look at one node for the event of one node',
    async () => {
      const small = await costsOf(50);
      const large = await costsOf(Math.max(500, NODES));
      for (const [what, looks] of Object.entries(small)) {
        process.stdout.write(
          `${what}: ${JSON.stringify(looks)}, in a larger pool ${JSON.stringify(large[what])}\n`,
        );
        expect(large[what], what).toEqual(looks);
      }
    },
    LIMIT_MS,
  );

  /** By what happens to a node: what it costs all controllers together. */
  const costsOf = async (workers: number): Promise<{ readonly [what: string]: Looks }> => {
    const world = await startWorld({ masters: 1, workers });
    const counter = createLookCounter();
    await world.startControllers(undefined, { wrapCaches: counter.wrap });
    const first = { config: '' };
    const isNew = (config: string) => first.config !== '' && config !== first.config;
    await world.startDaemons({ failure: (_, config) => (isNew(config) ? 'cannot write /etc/x' : undefined) });
    await world.untilUpdated(['master', 'worker'], HOUR);
    first.config = await target(world, 'worker');
    await world.env.clock.advance(5 * MINUTE);
    const costOf = async (name: string, body: object, subresource?: string): Promise<Looks> => {
      const before = counter.looks();
      const options = subresource === undefined ? {} : { subresource };
      await world.kube.patch(nodeKind, { name }, { type: 'merge', body }, options);
      await world.env.clock.advance(1_000);
      const { enumerated, nodeReads } = counter.looks();
      return { enumerated: enumerated - before.enumerated, nodeReads: nodeReads - before.nodeReads };
    };
    const conditions = (ready: string, hour = 0) => ({
      status: {
        conditions: [{ type: 'Ready', status: ready, lastHeartbeatTime: `2026-01-01T0${hour}:00:00Z` }],
      },
    });
    const annotate = (changes: { readonly [key: string]: string }) => ({
      metadata: { annotations: changes },
    });
    const costs = {
      heartbeat: await costOf('worker-7', conditions('True'), 'status'),
      'a node that is not ready': await costOf('worker-7', conditions('False'), 'status'),
      'a node that is ready again': await costOf('worker-7', conditions('True'), 'status'),
      'a daemon that reports an error': await costOf('worker-8', annotate({ [annotations.reason]: 'x' })),
      cordon: await costOf('worker-9', { spec: { unschedulable: true } }),
      uncordon: await costOf('worker-9', { spec: { unschedulable: null } }),
    };
    // The first node fails, and all others wait.
    await newTarget(world, 'worker', 'hello');
    await world.env.clock.advance(5 * MINUTE);
    const waiting = {
      'heartbeat of a node that waits': await costOf('worker-7', conditions('True', 1), 'status'),
      'a node that waits and is not ready': await costOf('worker-7', conditions('False', 2), 'status'),
      'a node that fails and reports the error': await costOf(
        'worker-0',
        annotate({ [annotations.reason]: 'y' }),
      ),
    };
    await world.stop();
    return { ...costs, ...waiting };
  };
});
