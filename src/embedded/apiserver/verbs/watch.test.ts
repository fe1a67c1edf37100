import { describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../../base/env.ts';
import { createApiServer } from '../api-server.ts';
import { MAX_BUFFERED_BYTES } from '../http/line-stream.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { LogLimits, Store } from '../store/store.ts';

const env = { clock: systemClock, random: systemRandom, log: silentLog };
const COLLECTION = '/api/v1/namespaces/default/configmaps';
const PREFIX = '/configmaps/default/';

/** Objects as they lie in the store, so that many are made quickly. */
async function fill(store: Store, count: number, sizeBytes: number): Promise<void> {
  const filler = 'x'.repeat(sizeBytes);
  const encoder = new TextEncoder();
  for (let first = 0; first < count; first += 1000) {
    await store.commit(
      Array.from({ length: Math.min(1000, count - first) }, (_, index) => {
        const name = nameOf(first + index);
        const value = encoder.encode(
          JSON.stringify({ metadata: { name, namespace: 'default' }, data: { filler } }),
        );
        return { kind: 'put', key: `${PREFIX}${name}`, expect: 'any', value } as const;
      }),
    );
  }
}

const nameOf = (index: number) => `n${String(index).padStart(6, '0')}`;

/** A server over a store of which is counted how many entries and writes were read for watches. */
async function aServer(limits?: LogLimits) {
  const store = createMemoryStore(limits);
  const read = { entries: 0, writes: 0 };
  const counting: Store = {
    revision: () => store.revision(),
    compactedRevision: () => store.compactedRevision(),
    get: (key) => store.get(key),
    range(query) {
      const page = store.range(query);
      if (query.prefix.startsWith(PREFIX) && page.kind === 'page') read.entries += page.entries.length;
      return page;
    },
    history(query) {
      read.writes += Math.min(query.limit, query.to - query.from);
      return store.history(query);
    },
    commit: (writes) => store.commit(writes),
    subscribe: (query, listener) => store.subscribe(query, listener),
    close: () => store.close(),
  };
  const server = await createApiServer({ store: counting, env, tokenKey: new Uint8Array(32) });
  const watch = async (query: string) => {
    const { body } = await server.handle({
      method: 'GET',
      path: COLLECTION,
      query: `watch=true&${query}`,
      headers: {},
      body: new Uint8Array(),
      certificateUser: { name: 'admin', groups: ['system:masters'] },
    });
    if (body instanceof Uint8Array) throw new Error(new TextDecoder().decode(body));
    return eventsOf(body);
  };
  return { store, read, watch, close: () => server.close() };
}

type WatchEvent = {
  readonly type: string;
  readonly object: { readonly code?: number; readonly metadata: { readonly name?: string } };
};

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    // The server wrote it.
    for (const line of lines) yield JSON.parse(line) as WatchEvent;
  }
}

async function take(events: AsyncGenerator<WatchEvent>, count: number): Promise<readonly string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done === true) return [...taken, 'END'];
    taken.push(`${value.type} ${value.object.metadata.name ?? value.object.code}`);
  }
  return taken;
}

describe('a watch that begins with the state', () => {
  it('reads the state on demand', async () => {
    const { store, read, watch, close } = await aServer();
    await fill(store, 20_000, 1000);
    const events = await watch('');
    expect(read.entries).toBe(0);
    await take(events, 1);
    expect(read.entries).toBeLessThan(1000);
    await take(events, 5000);
    expect(read.entries).toBeLessThan(6000);
    await close();
  });

  it('sends the state at its start and then further events', async () => {
    const { store, watch, close } = await aServer();
    await fill(store, 3000, 1000);
    const events = await watch('');
    expect(await take(events, 1)).toEqual([`ADDED ${nameOf(0)}`]);
    await store.commit([
      { kind: 'delete', key: `${PREFIX}${nameOf(2500)}`, expect: 'any' },
      {
        kind: 'put',
        key: `${PREFIX}zz`,
        expect: 'absent',
        value: new TextEncoder().encode('{"metadata":{"name":"zz"}}'),
      },
    ]);
    const rest = await take(events, 3001);
    expect(rest.slice(0, 2999)).toEqual(
      Array.from({ length: 2999 }, (_, index) => `ADDED ${nameOf(index + 1)}`),
    );
    expect(rest.slice(2999)).toEqual([`DELETED ${nameOf(2500)}`, 'ADDED zz']);
    await close();
  });

  it('is expired if the state is compacted before the client has read it', async () => {
    const { store, watch, close } = await aServer({ events: 2000, bytes: 1_000_000_000 });
    await fill(store, 3000, 1000);
    const events = await watch('');
    await take(events, 1);
    for (let count = 0; count < 3; count++) await fill(store, 1000, 0);
    let last: string | undefined;
    let count = 0;
    for await (const { type, object } of events) {
      last = `${type} ${object.code}`;
      count++;
    }
    expect(last).toBe('ERROR 410');
    expect(count).toBeLessThan(2000);
    await close();
  });

  it('of one object reads only that object', async () => {
    const { store, read, watch, close } = await aServer();
    await fill(store, 3000, 10);
    const events = await watch(`fieldSelector=metadata.name%3D${nameOf(7)}`);
    expect(await take(events, 1)).toEqual([`ADDED ${nameOf(7)}`]);
    expect(read.entries).toBe(1);
    await close();
  });
});

describe('a watch from a resourceVersion', () => {
  it('sends more history than fits the buffer, and reads it on demand', async () => {
    const { store, read, watch, close } = await aServer();
    const from = store.revision();
    const sizeBytes = 100_000;
    const count = Math.ceil((2 * MAX_BUFFERED_BYTES) / sizeBytes);
    await fill(store, count, sizeBytes);
    const events = await watch(`resourceVersion=${from}`);
    expect(read.writes).toBe(0);
    await take(events, 1);
    expect(read.writes).toBeLessThan(100);
    expect(await take(events, count - 1)).not.toContain('END');
    await close();
  });

  it('is ended when too many events are buffered', async () => {
    const { store, watch, close } = await aServer();
    const events = await watch(`resourceVersion=${store.revision()}`);
    await fill(store, 200, 100_000);
    expect(await take(events, 1)).toEqual(['END']);
    await close();
  });
});
