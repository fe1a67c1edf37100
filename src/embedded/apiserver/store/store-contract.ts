/**
 * What every store does. Called with a way to make one; run by the tests of each implementation.
 */
import { describe, expect, it } from 'vitest';
import {
  expectToActAsTheNaiveStore,
  readable,
  type StoreMaker,
} from '../../../../test/apiserver/store-properties.ts';
import { Failure } from '../../../base/errors.ts';
import { MAX_KEY_BYTES, type Store, type StoreEvent, type Write } from './store.ts';

export function storeContract(maker: StoreMaker, randomHistories: number): void {
  describe('commits', () => commits(maker));
  describe('ranges', () => ranges(maker));
  describe('subscriptions', () => subscriptions(maker));
  describe('the log', () => theLog(maker));
  it('behaves like the naive store in random histories', async () => {
    await expectToActAsTheNaiveStore(maker, randomHistories);
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);
const put = (key: string, value = '', expectation: 'absent' | 'any' | number = 'any'): Write => ({
  kind: 'put',
  key,
  expect: expectation,
  value: bytes(value),
});
const remove = (key: string, expectation: 'any' | number = 'any'): Write => ({
  kind: 'delete',
  key,
  expect: expectation,
});

/** A store in which `a` (revision 1) was written again (3), and `b` (2) still is as it was. */
async function aStore({ create }: StoreMaker): Promise<Store> {
  const store = create();
  await store.commit([put('a', 'first'), put('b', 'second')]);
  await store.commit([put('a', 'third')]);
  return store;
}

function commits(maker: StoreMaker): void {
  it.each([
    ['a put where nothing should be', put('b', 'x', 'absent'), 'b'],
    ['a put over what has changed', put('a', 'x', 1), 'a'],
    ['a put over what is gone', put('c', 'x', 1), undefined],
    ['a delete of what has changed', remove('a', 1), 'a'],
    ['a delete of what is not there', remove('c'), undefined],
    ['a delete of a revision that is not there', remove('c', 3), undefined],
  ])('rejects %s with its whole transaction', async (_, write, current) => {
    const store = await aStore(maker);
    const result = await store.commit([put('d', 'x'), write, put('e', 'x', 7)]);
    const there = current === undefined ? undefined : store.get(current);
    expect(readable(result)).toEqual(readable({ kind: 'conflict', index: 1, current: there }));
    expect(store.revision()).toBe(3);
    expect([store.get('d'), store.get('e')]).toEqual([undefined, undefined]);
    expect(readable(store.range({ prefix: '' }))).toMatchObject({ entries: [{ key: 'a' }, { key: 'b' }] });
  });

  it.each<[string, readonly Write[]]>([
    ['writes nothing', []],
    ['writes a key twice', [put('a'), remove('a')]],
    ['has an empty key', [put('')]],
    ['has a key that is too long', [put('é'.repeat(MAX_KEY_BYTES / 2 + 1))]],
    ['has a key that is no text', [put('a\ud800')]],
  ])('asserts that no transaction %s', async (_, writes) => {
    const store = maker.create();
    await expect(store.commit(writes)).rejects.toThrow(/^internal error: /);
    expect(store.revision()).toBe(0);
  });

  it('assigns revisions in the order of the transaction', async () => {
    const store = await aStore(maker);
    const writes = [put('c', '', 'absent'), remove('b', 2), put('a', 'sixth', 3)];
    expect(await store.commit(writes)).toEqual({ kind: 'committed', revision: 6 });
    expect(['a', 'b', 'c'].map((key) => store.get(key)?.revision)).toEqual([6, undefined, 4]);
    expect(readable(store.get('a'))).toEqual({ key: 'a', value: 'sixth', revision: 6 });
  });

  it('lets the first of racing commits win and rejects the others', async () => {
    const store = maker.create();
    const [first, ...others] = await Promise.all(
      [1, 2, 3].map((number) => store.commit([put('a', `${number}`, 'absent')])),
    );
    expect(first).toEqual({ kind: 'committed', revision: 1 });
    const current = { key: 'a', value: '1', revision: 1 };
    expect(readable(others)).toEqual([1, 2].map(() => ({ kind: 'conflict', index: 0, current })));
  });

  it('does not show writes that are not durable', async () => {
    const store = await aStore(maker);
    const pending = store.commit([remove('a')]);
    expect([store.revision(), store.get('a')?.revision]).toEqual([3, 3]);
    await pending;
    expect([store.revision(), store.get('a')]).toEqual([4, undefined]);
  });

  it('copies the bytes of values', async () => {
    const store = maker.create();
    const given = Buffer.from('..before..').subarray(2, 8);
    const pending = store.commit([{ kind: 'put', key: 'a', expect: 'any', value: given }]);
    given.fill(0);
    await pending;
    expect(readable(store.get('a'))).toMatchObject({ value: 'before' });
    expect(store.get('a')?.value.constructor).toBe(Uint8Array);
  });

  it.each([0, 1, 4_000, 40_000, 400_000, 4_000_000])('accepts a value of %d bytes', async (size) => {
    const store = maker.create();
    const value = new Uint8Array(size).map((_, index) => index % 251);
    await store.commit([{ kind: 'put', key: 'a', expect: 'any', value }]);
    expect(Buffer.compare(store.get('a')?.value ?? bytes('none'), value)).toBe(0);
  });

  it.each(['', 'x'.repeat(MAX_KEY_BYTES + 1), 'x'.repeat(10_000)])(
    'a key that cannot be is not there',
    (key) => {
      const store = maker.create();
      expect(store.get(key)).toBeUndefined();
      expect(store.range({ prefix: `x${key}` })).toMatchObject({ entries: [] });
    },
  );

  it('finishes accepted commits on close and rejects further ones', async () => {
    const store = await aStore(maker);
    const pending = Promise.all([store.commit([put('a')]), store.commit([put('b')])]);
    const closed = store.close();
    await expect(store.commit([put('c')])).rejects.toMatchObject({
      kind: 'cancelled',
      reason: 'StoreClosed',
    });
    expect(() => store.get('a')).toThrow(Failure);
    await closed;
    expect(await pending).toEqual([4, 5].map((revision) => ({ kind: 'committed', revision })));
  });
}

function ranges(maker: StoreMaker): void {
  it('sorts by the bytes of the keys', async () => {
    const store = maker.create();
    const sorted = [
      'a',
      'a\0',
      'a/',
      'a/1',
      'a/10',
      'a/2',
      'aa',
      'é',
      '\ufffd',
      '😀',
      `😀${'x'.repeat(1000)}`,
    ];
    for (const key of sorted.toReversed()) await store.commit([put(key)]);
    expect(keysOf(store, {})).toEqual(sorted);
    expect(keysOf(store, { prefix: 'a/' })).toEqual(['a/', 'a/1', 'a/10', 'a/2']);
    expect(keysOf(store, { prefix: 'a/1', after: 'a' })).toEqual(['a/1', 'a/10']);
    expect(keysOf(store, { after: 'a/1' })).toEqual(sorted.slice(4));
    expect(keysOf(store, { prefix: 'a/', after: 'b' })).toEqual([]);
    expect(keysOf(store, { prefix: 'a/', after: `a/1${'x'.repeat(3000)}` })).toEqual(['a/2']);
  });

  it('reads all pages of a range at one revision', async () => {
    const store = maker.create();
    await store.commit(Array.from('abcdefg', (key) => put(key, `old ${key}`)));
    const first = store.range({ prefix: '', limit: 3 });
    expect(readable(first)).toMatchObject({ revision: 7, remaining: 4, entries: [{}, {}, { key: 'c' }] });
    await store.commit([put('a', 'new'), remove('d'), put('e', 'new'), remove('f')]);
    await store.commit([
      put('d', 'again'),
      put('dd', 'new'),
      remove('e'),
      put('f', 'again'),
      put('z'),
      remove('g'),
    ]);
    const second = store.range({ prefix: '', after: 'c', limit: 3, revision: 7 });
    const entries = ['d', 'e', 'f'].map((key, index) => ({ key, value: `old ${key}`, revision: 4 + index }));
    expect(readable(second)).toEqual({ kind: 'page', revision: 7, remaining: 1, entries });
    const whether = (limit: number) => store.range({ prefix: '', revision: 7, limit, counts: 'whether' });
    expect([6, 7, 8].map((limit) => readable(whether(limit)))).toMatchObject(
      [1, 0, 0].map((remaining) => ({ remaining })),
    );
    expect(keysOf(store, { after: 'f', revision: 7 })).toEqual(['g']);
    expect(keysOf(store, { after: 'f' })).toEqual(['z']);
  });

  it('rejects reads of future revisions', async () => {
    const store = await aStore(maker);
    expect(store.range({ prefix: '', revision: 4 })).toEqual({ kind: 'future', revision: 3 });
    expect(keysOf(store, { revision: 0 })).toEqual([]);
  });
}

function keysOf(
  store: Store,
  query: { prefix?: string; after?: string; revision?: number },
): readonly string[] {
  const page = store.range({ prefix: '', ...query });
  return page.kind === 'page' ? page.entries.map(({ key }) => key) : [page.kind];
}

/** The revisions that a listener has heard, as they come. */
function listen(store: Store, query: { prefix: string; from: number }, also?: (event: StoreEvent) => void) {
  const heard: number[] = [];
  const answer = store.subscribe(query, (event) => {
    heard.push(event.revision);
    also?.(event);
  });
  if (answer.kind !== 'subscribed') throw new Error(answer.kind);
  return { heard, subscription: answer.subscription };
}

function subscriptions(maker: StoreMaker): void {
  it('rejects subscriptions from future revisions', async () => {
    const store = await aStore(maker);
    const ignore = () => undefined;
    expect(store.subscribe({ prefix: '', from: 4 }, ignore)).toEqual({ kind: 'future', revision: 3 });
  });

  it('delivers history and new events with their previous values', async () => {
    const store = await aStore(maker);
    const heard: StoreEvent[] = [];
    store.subscribe({ prefix: 'a', from: 1 }, (event) => heard.push(event));
    const first = { key: 'a', value: 'first', revision: 1 };
    const third = { kind: 'put', key: 'a', value: 'third', revision: 3, previous: first };
    expect(readable(heard)).toEqual([third]);
    await store.commit([remove('b'), remove('a'), put('ab', 'new')]);
    expect(readable(heard)).toEqual([
      third,
      { kind: 'delete', key: 'a', revision: 5, previous: { key: 'a', value: 'third', revision: 3 } },
      { kind: 'put', key: 'ab', value: 'new', revision: 6 },
    ]);
  });

  it('delivers events before the commit resolves, when reads see them', async () => {
    const store = await aStore(maker);
    const { heard } = listen(store, { prefix: '', from: 3 }, () => expect(store.revision()).toBe(5));
    const pending = store.commit([put('c'), put('d')]).then(() => [...heard]);
    expect(heard).toEqual([]);
    expect(await pending).toEqual([4, 5]);
  });

  it('reports progress up to the last delivered event, even within a transaction', async () => {
    const store = await aStore(maker);
    const progress: number[] = [];
    const { subscription } = listen(store, { prefix: 'a', from: 3 }, () =>
      progress.push(subscription.progress()),
    );
    await store.commit([put('b'), put('a'), put('b/2'), put('a/2')]);
    expect(progress).toEqual([4, 6]);
    expect(subscription.progress()).toBe(7);
  });

  it('ends when it is cancelled, even by a listener', async () => {
    const store = await aStore(maker);
    const second = () => later.subscription.cancel();
    const first = listen(store, { prefix: '', from: 3 }, second);
    const later = listen(store, { prefix: '', from: 3 });
    await store.commit([put('c')]);
    first.subscription.cancel();
    first.subscription.cancel();
    await store.commit([put('d')]);
    expect([first.heard, later.heard]).toEqual([[4], []]);
  });

  it('can begin within a listener, without gaps or repetitions', async () => {
    const store = await aStore(maker);
    const inner: { heard: number[] }[] = [];
    listen(store, { prefix: 'c', from: 3 }, () => inner.push(listen(store, { prefix: '', from: 2 })));
    await store.commit([put('b'), put('c'), put('d')]);
    await store.commit([put('e')]);
    expect(inner.map(({ heard }) => heard)).toEqual([[3, 4, 5, 6, 7]]);
  });

  it('delivers events in the same order to all when a listener writes', async () => {
    const store = await aStore(maker);
    const written: Promise<unknown>[] = [];
    listen(store, { prefix: 'c', from: 3 }, () => written.push(store.commit([put('x')])));
    const { heard } = listen(store, { prefix: '', from: 3 });
    await store.commit([put('c'), put('d')]);
    await Promise.all(written);
    expect(heard).toEqual([4, 5, 6]);
  });

  it('rejects the commit of a throwing listener, without harm to the store and other listeners', async () => {
    const store = await aStore(maker);
    const before = listen(store, { prefix: '', from: 3 });
    const { subscription } = listen(store, { prefix: '', from: 3 }, () => {
      throw new Error('a mistake');
    });
    const after = listen(store, { prefix: '', from: 3 });
    await expect(store.commit([put('c'), put('d')])).rejects.toThrow('a mistake');
    subscription.cancel();
    expect(await store.commit([put('e')])).toEqual({ kind: 'committed', revision: 6 });
    for (const { heard } of [before, after]) expect(heard).toEqual([4, 5, 6]);
  });
}

function theLog(maker: StoreMaker): void {
  it('is read in pages, from any revision', async () => {
    const store = await aStore(maker);
    await store.commit([put('ab', 'fourth'), remove('b')]);
    const read = (query: { prefix?: string; from: number; to?: number; limit?: number }) =>
      readable(store.history({ prefix: '', to: 5, limit: 100, ...query }));
    const revisions = (query: Parameters<typeof read>[0]) => {
      const history = store.history({ prefix: '', to: 5, limit: 100, ...query });
      if (history.kind !== 'history') throw new Error(history.kind);
      return [history.events.map(({ revision }) => revision), history.through];
    };
    const deleted = {
      kind: 'delete',
      key: 'b',
      revision: 5,
      previous: { key: 'b', value: 'second', revision: 2 },
    };
    expect(read({ from: 4 })).toEqual({ kind: 'history', events: [deleted], through: 5 });
    expect(revisions({ from: 0 })).toEqual([[1, 2, 3, 4, 5], 5]);
    expect(revisions({ from: 0, prefix: 'a' })).toEqual([[1, 3, 4], 5]);
    expect(revisions({ from: 0, prefix: 'a', limit: 2 })).toEqual([[1], 2]);
    expect(revisions({ from: 1, to: 3 })).toEqual([[2, 3], 3]);
    expect(revisions({ from: 5 })).toEqual([[], 5]);
    expect(read({ from: 3, to: 6 })).toEqual({ kind: 'future', revision: 5 });
  });

  it('is limited by the number of events', async () => {
    const store = maker.create({ events: 2, bytes: 1000 });
    for (const key of ['a', 'b', 'a', 'c']) await store.commit([put(key, key)]);
    const compacted = { kind: 'compacted', compactedRevision: 2 };
    expect(store.compactedRevision()).toBe(2);
    expect(store.range({ prefix: '', revision: 1 })).toEqual(compacted);
    expect(store.subscribe({ prefix: '', from: 1 }, () => undefined)).toEqual(compacted);
    expect(store.history({ prefix: '', from: 1, to: 4, limit: 1 })).toEqual(compacted);
    expect(listen(store, { prefix: '', from: 2 }).heard).toEqual([3, 4]);
    expect(keysOf(store, { revision: 2 })).toEqual(['a', 'b']);
    expect(keysOf(store, {})).toEqual(['a', 'b', 'c']);
  });

  it('is limited by the bytes of keys and old values', async () => {
    const store = maker.create({ events: 1000, bytes: 25 });
    for (const key of ['a', 'b', 'c']) await store.commit([put(key, 'x'.repeat(10))]);
    expect(store.compactedRevision()).toBe(0);
    await store.commit([put('a', 'y')]);
    expect(store.compactedRevision()).toBe(0);
    await store.commit([remove('b')]);
    expect(store.compactedRevision()).toBe(0);
    await store.commit([remove('c')]);
    expect(store.compactedRevision()).toBe(4);
  });

  it('can be shorter than a transaction, whose events are all delivered', async () => {
    const store = maker.create({ events: 1, bytes: 1000 });
    const { heard } = listen(store, { prefix: '', from: 0 });
    await store.commit([put('a', '1'), put('b', '2'), put('c', '3')]);
    await Promise.all([
      store.commit([put('a', '4')]),
      store.commit([put('a', '5')]),
      store.commit([remove('a')]),
    ]);
    expect(heard).toEqual([1, 2, 3, 4, 5, 6]);
    expect([store.compactedRevision(), keysOf(store, {})]).toEqual([5, ['b', 'c']]);
  });
}
