/** What a server may do to those who watch it, in simulated time. */
import { describe, expect, it } from 'vitest';
import { type CachedWorld, cachedWorld, livesOf } from '../../../test/kube/cached-world.ts';
import type { ServedWatch } from '../../../test/kube/scripted-server.ts';

const MINUTE_MS = 60_000;

/** A world in which all is well, with one watch open. */
async function watching(): Promise<{ readonly world: CachedWorld; readonly watch: ServedWatch }> {
  const world = cachedWorld();
  await world.env.clock.settle();
  expect(world.cached()).toEqual(world.served());
  return { world, watch: onlyWatch(world) };
}

function onlyWatch({ server }: CachedWorld): ServedWatch {
  const [watch, ...more] = server.watches;
  if (watch === undefined || more.length > 0) throw new Error(`there are ${server.watches.size} watches`);
  return watch;
}

/** The server changes while the client is disconnected. */
function live({ server }: CachedWorld): void {
  server.put('b', 'second');
  server.delete('c');
  server.put('e', 'second');
  server.delete('d');
  server.put('d', 'another');
}

/** Everything has settled, once, and with few requests. */
async function expectConverged(
  world: CachedWorld,
  limits: { readonly requests: number; readonly ms: number },
) {
  const { env, server, changes } = world;
  const before = server.asked.length;
  await env.clock.advance(limits.ms);
  expect(world.cached()).toEqual(world.served());
  expect(server.asked.length - before).toBeLessThanOrEqual(limits.requests);
  const here = [...livesOf(changes)].filter(([, life]) => life === 'here').map(([uid]) => uid);
  expect(here.sort()).toEqual([...server.things.values()].map(({ metadata }) => metadata.uid).sort());
  expect(env.lines.filter(({ level }) => level === 'error')).toEqual([]);
}

type Fault = (world: CachedWorld, watch: ServedWatch) => void;

const faults: { readonly [what: string]: Fault } = {
  'ends the watch': (_, watch) => watch.stream.end(),
  'breaks the connection': (_, watch) => watch.stream.fail('read ECONNRESET'),
  'breaks the connection in the middle of a line': ({ server }, watch) => {
    watch.sendPiece((server.pastLine(0) ?? '').slice(0, 40));
    watch.stream.fail('read ECONNRESET');
  },
  'ends the watch in the middle of a line': ({ server }, watch) => {
    watch.sendPiece((server.pastLine(0) ?? '').slice(0, 40));
    watch.stream.end();
  },
  'ends the watch with a line that only lacks its end': ({ server }, watch) => {
    watch.sendPiece(server.pastLine(0) ?? '');
    watch.stream.end();
  },
  'sends garbage': (_, watch) => watch.send('<html>502 Bad Gateway</html>'),
  'sends JSON that is no event': (_, watch) => watch.send('{"type":"ADDED","object":{"metadata":{}}}'),
  'sends an event of an unknown type': (_, watch) =>
    watch.send('{"type":"RENAMED","object":{"metadata":{}}}'),
  'sends bytes that are no text': (_, watch) => watch.sendPiece(Uint8Array.from([0x7b, 0xff, 0xfe, 0x0a])),
  'sends null where an object belongs': (_, watch) => watch.send('null'),
  'sends everything twice': ({ server }, watch) => {
    for (let back = 3; back >= 0; back--) watch.send(server.pastLine(back) ?? '');
  },
  'sends what is older than the list': (_, watch) => {
    const metadata = { name: 'ghost', namespace: 'space', uid: 'uid-0', resourceVersion: '7' };
    watch.send(JSON.stringify({ type: 'ADDED', object: { metadata } }));
  },
  'sends a deletion that is older than the object': (_, watch) => {
    const metadata = { name: 'a', namespace: 'space', uid: 'uid-0', resourceVersion: '7' };
    watch.send(JSON.stringify({ type: 'DELETED', object: { metadata } }));
  },
  'sends a state that is older than the object': (_, watch) => {
    const metadata = { name: 'a', namespace: 'space', uid: 'uid-1', resourceVersion: '9' };
    watch.send(JSON.stringify({ type: 'MODIFIED', object: { metadata, data: { value: 'stale' } } }));
  },
  'sends 410 in the watch': (_, watch) => watch.error(410, { reason: 'Expired' }),
  'answers 410 to the next watch': ({ server }, watch) => {
    watch.stream.end();
    server.put('a', 'unseen');
    server.forget();
  },
  'sends 500 in the watch': (_, watch) => watch.error(500),
  'sends 429 with retryAfterSeconds in the watch': (_, watch) =>
    watch.error(429, { details: { retryAfterSeconds: 20 } }),
  'answers 500 to watches': ({ server }, watch) => {
    watch.stream.end();
    server.faults.watch.push(...Array.from({ length: 5 }, () => ({ kind: 'status', status: 500 }) as const));
  },
  'answers 403 to a watch': ({ server }, watch) => {
    watch.stream.end();
    server.faults.watch.push({ kind: 'status', status: 403 });
  },
  'does not answer a watch': ({ server }, watch) => {
    watch.stream.end();
    server.faults.watch.push({ kind: 'hang' });
  },
  'cannot be reached': ({ server }, watch) => {
    watch.stream.fail('read ECONNRESET');
    server.faults.watch.push({ kind: 'unreachable' }, { kind: 'unreachable' });
  },
  'expires the version, and then fails to list': ({ server }, watch) => {
    watch.error(410);
    server.faults.list.push(
      { kind: 'status', status: 500 },
      { kind: 'text', status: 200, text: '{"items":[' },
      { kind: 'text', status: 200, text: '{"metadata":{},"items":[7]}' },
      { kind: 'unreachable' },
      { kind: 'hang' },
    );
  },
};

describe('a cache catches up when the server', () => {
  it.each(Object.entries(faults))('%s', async (_, fault) => {
    const { world, watch } = await watching();
    fault(world, watch);
    live(world);
    await expectConverged(world, { requests: 22, ms: 4 * MINUTE_MS });
  });

  it('falls silent', async () => {
    const { world, watch } = await watching();
    watch.isSilent = true;
    live(world);
    await expectConverged(world, { requests: 1, ms: 11 * MINUTE_MS });
    expect(world.env.lines.map(({ fields }) => fields.error)).toContain(
      'the server did not end the watch in time',
    );
  });

  it('falls silent after it has sent bookmarks, and earlier then', async () => {
    const { world, watch } = await watching();
    watch.bookmark(world.server.version);
    watch.isSilent = true;
    live(world);
    await expectConverged(world, { requests: 1, ms: 4 * MINUTE_MS + 2_000 });
  });

  it('is restored from a backup', async () => {
    const { world, watch } = await watching();
    world.server.restore(10, ['b', 'x']);
    watch.bookmark(world.server.version);
    await world.env.clock.advance(MINUTE_MS);
    expect(world.cached()).toEqual(world.served());
  });

  it('expires the continue token of a list', async () => {
    const world = cachedWorld();
    const { send } = world.server;
    let pages = 0;
    world.server.send = (request) => {
      if (++pages === 2) {
        world.server.put('z', 'meanwhile');
        world.server.forget();
      }
      return send.call(world.server, request);
    };
    await world.env.clock.settle();
    expect(world.cached()).toEqual(world.served());
    // A page, the page that expired, the whole list, and the watch.
    expect(world.server.asked.map(({ kind, query }) => `${kind} ${query.get('limit')}`)).toEqual([
      'list 500',
      'list 500',
      'list null',
      'watch null',
    ]);
  });
});

describe('a cache requests', () => {
  it('a watch with bookmarks, from the version of the list, for five to ten minutes', async () => {
    const { world } = await watching();
    const { query } = world.server.asked.at(-1) ?? { query: new URLSearchParams() };
    expect(query.get('allowWatchBookmarks')).toBe('true');
    expect(query.get('resourceVersion')).toBe('104');
    expect(Number(query.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300);
    expect(Number(query.get('timeoutSeconds'))).toBeLessThanOrEqual(600);
  });

  it('only one watch while nothing happens', async () => {
    const { world, watch } = await watching();
    for (let minute = 0; minute < 4; minute++) {
      await world.env.clock.advance(MINUTE_MS);
      watch.bookmark(world.server.version);
    }
    expect(world.server.asked.map(({ kind }) => kind)).toEqual(['list', 'list', 'watch']);
  });

  it('the next watch from the last bookmark, at once, when a watch times out', async () => {
    const { world, watch } = await watching();
    watch.bookmark(6_000);
    await world.env.clock.advance(3 * MINUTE_MS);
    const endedAt = world.env.clock.monotonic();
    watch.stream.end();
    await world.env.clock.settle();
    const last = world.server.asked.at(-1);
    expect([last?.kind, last?.query.get('resourceVersion'), last?.atMs]).toEqual(['watch', '6000', endedAt]);
  });

  it('a list at once when its version has expired', async () => {
    const { world, watch } = await watching();
    await world.env.clock.advance(1_000);
    watch.error(410, { reason: 'Expired' });
    await world.env.clock.settle();
    expect(world.server.asked.slice(3).map(({ kind, atMs }) => `${kind} ${atMs}`)).toEqual([
      'list 1000',
      'list 1000',
      'watch 1000',
    ]);
  });

  it('nothing before Retry-After has passed, and soon after it', async () => {
    const { world, watch } = await watching();
    world.server.faults.watch.push(
      { kind: 'status', status: 429, retryAfter: 45 },
      { kind: 'status', status: 503, retryAfter: 20 },
    );
    watch.stream.end();
    await world.env.clock.advance(2 * MINUTE_MS);
    const times = world.server.asked.filter(({ kind }) => kind === 'watch').map(({ atMs }) => atMs);
    const [, refused = 0, again = 0, open = 0] = times;
    expect(again - refused).toBeGreaterThanOrEqual(45_000);
    expect(again - refused).toBeLessThanOrEqual(50_000);
    expect(open - again).toBeGreaterThanOrEqual(20_000);
    expect(world.server.watches.size).toBe(1);
  });

  it('watches with a growing delay while a server ends each at once', async () => {
    const { world } = await watching();
    const count = async (ms: number) => {
      const before = world.server.asked.length;
      const until = world.env.clock.monotonic() + ms;
      while (world.env.clock.monotonic() < until) {
        for (const watch of world.server.watches) watch.stream.end();
        await world.env.clock.advance(10);
      }
      return world.server.asked.length - before;
    };
    expect(await count(MINUTE_MS)).toBeLessThanOrEqual(20);
    const later = await count(MINUTE_MS);
    expect(later).toBeGreaterThanOrEqual(2);
    expect(later).toBeLessThanOrEqual(8);
  });

  it('lists with a delay when versions expire again and again', async () => {
    const { world } = await watching();
    const before = world.server.asked.length;
    for (let step = 0; step < 6_000; step++) {
      for (const watch of world.server.watches) watch.error(410);
      await world.env.clock.advance(10);
    }
    // Two pages and a watch each time.
    expect(world.server.asked.length - before).toBeLessThanOrEqual(24);
    await expectConverged(world, { requests: 3, ms: MINUTE_MS });
  });

  it('a new list after three watches that break at the same event', async () => {
    const { world, watch } = await watching();
    const poison = () => {
      for (const open of world.server.watches) open.send('{"type":"ADDED","object":');
    };
    watch.stream.end();
    for (let step = 0; step < 1_000 && world.server.count('list') === 2; step++) {
      await world.env.clock.advance(100);
      poison();
    }
    expect(world.server.count('list')).toBeGreaterThan(2);
    await expectConverged(world, { requests: 6, ms: MINUTE_MS });
  });

  it('nothing after a stop, whatever it waits for', async () => {
    for (const fault of [() => undefined, faults['cannot be reached'], faults['does not answer a watch']]) {
      const { world, watch } = await watching();
      fault?.(world, watch);
      await world.env.clock.settle();
      world.env.stop();
      await world.env.clock.resolved(world.caches.stop(), 0);
      const before = world.server.asked.length;
      await world.env.clock.advance(20 * MINUTE_MS);
      expect([
        world.server.asked.length - before,
        world.env.clock.pending,
        world.server.watches.size,
      ]).toEqual([0, 0, 0]);
    }
  });
});
