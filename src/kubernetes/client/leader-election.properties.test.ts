/**
 * Whatever becomes of their connections and processes, no two candidates work at the same time, and in the end one does. Each
 * candidate is a pod: its process may be killed, and then another one starts in its place.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Client, type InProcessWorld, inProcessWorld } from '../../../test/kube/in-process-world.ts';
import { namespace } from '../types/index.ts';
import { runAsLeader } from './leader-election.ts';

const LEASE = { namespace: 'space', name: 'leader' };
const PODS = ['one', 'two', 'three'] as const;

const steps = fc.array(
  fc.record({
    who: fc.constantFrom(...PODS),
    connection: fc.constantFrom<Client['connection'] | 'killed'>('good', 'cut', 'deaf', 'hanging', 'killed'),
    waitMs: fc.integer({ min: 0, max: 200_000 }),
    /** How long the work takes to end, always within what the lease leaves for it. */
    lingerMs: fc.integer({ min: 0, max: 25_000 }),
  }),
  { minLength: 1, maxLength: 25 },
);

type Running = Client & {
  lingerMs: number;
  /** As by SIGKILL: nothing is sent any more, and the work is over. */
  readonly kill: () => void;
  readonly end: Promise<void>;
};

/** Who works, and how many did at once. */
class Workers {
  readonly present = new Set<string>();
  most = 0;

  enter(identity: string): void {
    this.present.add(identity);
    this.most = Math.max(this.most, this.present.size);
  }
}

function startProcess(world: InProcessWorld, workers: Workers, number: number, pod: string): Running {
  const client = world.client(number);
  const identity = `${pod}_${number}`;
  const killing = new AbortController();
  const kill = () => {
    client.connection = 'cut';
    workers.present.delete(identity);
    killing.abort();
    client.env.stop();
  };
  const { kube, env } = client;
  const end = runAsLeader({ kube, env, lease: LEASE, identity, predecessors: `${pod}_` }, async (term) => {
    workers.enter(identity);
    await new Promise<void>((resolve) => {
      killing.signal.addEventListener('abort', () => resolve());
      term.env.signal.addEventListener('abort', () => world.clock.after(running.lingerMs, resolve));
    });
    workers.present.delete(identity);
  });
  const running: Running = Object.assign(client, { lingerMs: 0, kill, end });
  return running;
}

it('there is never more than one leader, and never none for long', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (story) => {
      const world = await inProcessWorld();
      const { kube } = world.client();
      await kube.create(namespace, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: LEASE.namespace },
      });
      const workers = new Workers();
      const all: Running[] = [];
      const present = new Map<string, Running>();
      const start = (pod: string) => {
        const running = startProcess(world, workers, all.length + 1, pod);
        all.push(running);
        present.set(pod, running);
      };
      for (const pod of PODS) start(pod);
      for (const { who, connection, waitMs, lingerMs } of story) {
        if (connection === 'killed') {
          present.get(who)?.kill();
          start(who);
        } else Object.assign(present.get(who) ?? {}, { connection, lingerMs });
        await world.clock.advance(waitMs);
      }
      for (const running of present.values()) running.connection = 'good';
      await world.clock.advance(300_000);
      expect([workers.most, workers.present.size]).toEqual([1, 1]);
      for (const { env } of present.values()) env.stop();
      await world.clock.resolved(Promise.all(all.map(({ end }) => end)), 300_000);
      await world.close();
    }),
    { numRuns: 20 },
  );
});
