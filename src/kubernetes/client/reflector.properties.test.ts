/** Whatever a server does, in whichever order: once it behaves, the cache is right, and it was never asked too often. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CachedWorld, cachedWorld, livesOf } from '../../../test/kube/cached-world.ts';
import type { Fault, ServedWatch } from '../../../test/kube/scripted-server.ts';

type Step = (world: CachedWorld) => void | Promise<void>;

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const eachWatch =
  (act: (watch: ServedWatch, world: CachedWorld) => void): Step =>
  (world) => {
    for (const watch of [...world.server.watches]) act(watch, world);
  };

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(403, 404, 409, 410, 500, 502, 504),
  }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(429, 503),
    retryAfter: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({ kind: fc.constantFrom('unreachable' as const, 'hang' as const) }),
  fc.record({
    kind: fc.constant('text' as const),
    status: fc.constantFrom(200, 502),
    text: fc.constantFrom('', '{', 'null', '<html>', '{"items":[null],"metadata":{"resourceVersion":"1"}}'),
  }),
);

const steps: fc.Arbitrary<{ readonly name: string; readonly act: Step }> = fc.oneof(
  named(
    'put',
    names,
    (name): Step =>
      ({ server }) =>
        server.put(name, String(server.version)),
  ),
  named(
    'delete',
    names,
    (name): Step =>
      ({ server }) =>
        server.delete(name),
  ),
  named(
    'wait',
    fc.constantFrom(1, 50, 700, 5_000, 12_000, 65_000, 400_000),
    (ms): Step =>
      ({ env }) =>
        env.clock.advance(ms),
  ),
  named(
    'forget',
    fc.constant(0),
    (): Step =>
      ({ server }) =>
        server.forget(),
  ),
  named('end', fc.constant(0), () => eachWatch((watch) => watch.stream.end())),
  named('break', fc.constant(0), () => eachWatch((watch) => watch.stream.fail('read ECONNRESET'))),
  named('silence', fc.constant(0), () =>
    eachWatch((watch) => {
      watch.isSilent = true;
    }),
  ),
  named('repeat', fc.nat(8), (back) =>
    eachWatch((watch, { server }) => watch.send(server.pastLine(back) ?? '')),
  ),
  named('come back', names, (name) =>
    eachWatch((watch, { server }) => {
      server.put(name);
      server.delete(name);
      watch.send(server.pastLine(1) ?? '');
    }),
  ),
  named('half', fc.nat(60), (chars) =>
    eachWatch((watch, { server }) => {
      watch.sendPiece((server.pastLine(0) ?? '').slice(0, chars));
      watch.stream.fail('read ECONNRESET');
    }),
  ),
  named('garbage', fc.constantFrom('{', 'null', '{"type":"ADDED"}'), (text) =>
    eachWatch((watch) => watch.send(text)),
  ),
  named('bookmark', fc.constantFrom(0, -3), (off) =>
    eachWatch((watch, { server }) => watch.bookmark(server.version + off)),
  ),
  named('error', fc.constantFrom(410, 429, 500), (code) => eachWatch((watch) => watch.error(code))),
  named(
    'fail list',
    faults,
    (fault): Step =>
      ({ server }) =>
        void server.faults.list.push(fault),
  ),
  named(
    'fail watch',
    faults,
    (fault): Step =>
      ({ server }) =>
        void server.faults.watch.push(fault),
  ),
);

function named<T>(name: string, value: fc.Arbitrary<T>, make: (value: T) => Step) {
  return value.map((given) => ({
    name,
    act: make(given),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(given)}`,
  }));
}

it('a cache converges to the state of the server after any faults', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40 }), fc.nat(), async (story, seed) => {
      const world = cachedWorld({ seed });
      const { env, server } = world;
      await env.clock.settle();
      for (const { act } of story) {
        await act(world);
        await env.clock.settle();
      }
      server.faults.list.length = 0;
      server.faults.watch.length = 0;
      // The longest that anything waits for: a silent watch, and then a server that asked for patience.
      await env.clock.advance(16 * 60_000);
      expect(world.cached()).toEqual(world.served());
      const here = [...livesOf(world.changes)].filter(([, life]) => life === 'here').map(([uid]) => uid);
      expect(here.sort()).toEqual([...server.things.values()].map(({ metadata }) => metadata.uid).sort());
      // Each step makes for a few requests at most, and time for one now and then.
      const seconds = env.clock.monotonic() / 1000;
      expect(server.asked.length).toBeLessThanOrEqual(10 + 8 * story.length + seconds / 60);
      await world.caches.stop();
      expect(env.clock.pending).toBe(0);
    }),
    { numRuns: 300 },
  );
});
