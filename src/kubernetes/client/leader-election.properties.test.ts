/** Whatever becomes of their connections, no two candidates work at the same time, and in the end one does. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Client, inProcessWorld } from '../../../test/kube/in-process-world.ts';
import { namespace } from '../types/index.ts';
import { runAsLeader } from './leader-election.ts';

const LEASE = { namespace: 'space', name: 'leader' };
const NAMES = ['one', 'two', 'three'] as const;

const steps = fc.array(
  fc.record({
    who: fc.constantFrom(...NAMES),
    connection: fc.constantFrom<Client['connection']>('good', 'cut', 'deaf', 'hanging'),
    waitMs: fc.integer({ min: 0, max: 200_000 }),
    /** How long the work takes to end, always within what the lease leaves for it. */
    lingerMs: fc.integer({ min: 0, max: 25_000 }),
  }),
  { minLength: 1, maxLength: 25 },
);

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
      const atWork = new Set<string>();
      let most = 0;
      const ends: Promise<void>[] = [];
      const clients = new Map<string, Client & { lingerMs: number }>();
      for (const [index, identity] of NAMES.entries()) {
        const client = Object.assign(world.client(index + 1), { lingerMs: 0 });
        clients.set(identity, client);
        const run = runAsLeader(
          { kube: client.kube, env: client.env, lease: LEASE, identity },
          async ({ env }) => {
            atWork.add(identity);
            most = Math.max(most, atWork.size);
            await new Promise<void>((resolve) => {
              env.signal.addEventListener('abort', () => world.clock.after(client.lingerMs, resolve));
            });
            atWork.delete(identity);
          },
        );
        ends.push(run);
      }
      for (const { who, connection, waitMs, lingerMs } of story) {
        Object.assign(clients.get(who) ?? {}, { connection, lingerMs });
        await world.clock.advance(waitMs);
      }
      for (const client of clients.values()) client.connection = 'good';
      await world.clock.advance(300_000);
      expect([most, atWork.size]).toEqual([1, 1]);
      for (const client of clients.values()) client.env.stop();
      await world.clock.resolved(Promise.all(ends), 60_000);
      await world.close();
    }),
    { numRuns: 20 },
  );
});
