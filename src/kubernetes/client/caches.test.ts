import { describe, expect, it } from 'vitest';
import { cachedWorld } from '../../../test/kube/cached-world.ts';
import type { Thing } from '../../../test/kube/scripted-server.ts';
import { configMap } from '../types/index.ts';
import type { Change } from './kube.ts';

const byValue = (thing: Thing) => [thing.data?.value ?? ''];
const space = 'space';

describe('a cache', () => {
  it('rejects waiters when it stops before it has synced', async () => {
    const world = cachedWorld();
    world.env.stop();
    await expect(world.cache.synced).rejects.toMatchObject({ kind: 'cancelled' });
    await world.env.clock.advance(60_000);
    expect(world.server.asked.length).toBeLessThanOrEqual(1);
  });

  it('lists the selected objects page by page, then watches them', async () => {
    const selection = { namespace: 'a b', labelSelector: 'x in (y, z)', fieldSelector: 'metadata.name=n' };
    const world = cachedWorld({ options: selection });
    await world.env.clock.settle();
    for (const { query } of world.server.asked) {
      expect(query.get('labelSelector')).toBe('x in (y, z)');
      expect(query.get('fieldSelector')).toBe('metadata.name=n');
    }
  });

  it('has synced before its waiters continue', async () => {
    const world = cachedWorld();
    const seen: number[] = [];
    const waiting = world.cache.synced.then(() => seen.push([...world.cache.all()].length));
    await world.env.clock.settle();
    await waiting;
    expect(seen).toEqual([4]);
    expect(world.cache.get({ namespace: space, name: 'a' })?.data?.value).toBe('first');
    expect(world.cache.get({ name: 'a' })).toBeUndefined();
  });

  it('holds frozen objects, from lists and from watches', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    world.server.put('e', 'by watch');
    await world.env.clock.settle();
    for (const thing of world.cache.all()) {
      expect(() => Object.assign(thing.data ?? {}, { value: 'mine' })).toThrow(TypeError);
      expect(() => Object.assign(thing.metadata, { name: 'mine' })).toThrow(TypeError);
      expect(() => Object.assign(thing, { more: 1 })).toThrow(TypeError);
    }
    expect([...world.cache.all()]).toHaveLength(5);
  });

  it('sets apiVersion and kind where the list items lack them', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    expect(world.cache.get({ namespace: space, name: 'a' })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  it('drops managedFields and what the transform removes', async () => {
    const managers: unknown[] = [];
    const transform = (thing: Thing, managedFields: readonly unknown[]): Thing => {
      managers.push(...managedFields);
      return { ...thing, data: { value: 'small' } };
    };
    const world = cachedWorld({ options: { transform } });
    const { things } = world.server;
    for (const [name, thing] of things) {
      things.set(name, { ...thing, metadata: { ...thing.metadata, managedFields: [{ manager: 'x' }] } });
    }
    await world.env.clock.settle();
    const thing = world.cache.get({ namespace: space, name: 'a' });
    expect(thing?.data).toEqual({ value: 'small' });
    expect(thing?.metadata).not.toHaveProperty('managedFields');
    // The transform may keep a part of them.
    expect(managers).toContainEqual({ manager: 'x' });
    expect(Object.isFrozen(thing?.data)).toBe(true);
  });

  it('reports each change once, with the previous object, after the cache shows it', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    world.changes.length = 0;
    const visible: (string | undefined)[] = [];
    world.cache.onChange(() => visible.push(world.cache.get({ namespace: space, name: 'a' })?.data?.value));
    visible.length = 0;
    world.server.put('a', 'second');
    world.server.delete('a');
    await world.env.clock.settle();
    const format = ({ before, after }: Change<Thing>) => `${before?.data?.value} → ${after?.data?.value}`;
    expect(world.changes.map(format)).toEqual(['first → second', 'second → undefined']);
    expect(visible).toEqual(['second', undefined]);
  });

  it('reports all cached objects to a listener that is added late', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    const late: Change<Thing>[] = [];
    world.cache.onChange((change) => late.push(change));
    expect(late.map(({ before, after }) => [before, after?.metadata.name])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [undefined, name]),
    );
  });

  it('continues when a listener, an index or a transform fails on an object', async () => {
    const fail = (thing: Thing | undefined) => {
      if (thing?.metadata.name === 'b') throw new TypeError('cannot read properties of undefined');
    };
    const transform = (thing: Thing): Thing => {
      fail(thing);
      return { ...thing, data: { value: 'small' } };
    };
    const broken = (thing: Thing) => {
      fail(thing);
      return ['all'];
    };
    const world = cachedWorld({ options: { transform, indexes: { broken } } });
    const heard: string[] = [];
    world.cache.onChange(({ after }) => {
      fail(after);
      heard.push(after?.metadata.name ?? '');
    });
    await world.env.clock.settle();
    expect(heard).toEqual(['a', 'c', 'd']);
    expect(world.cache.by('broken', 'all').map(({ metadata }) => metadata.name)).toEqual(['a', 'c', 'd']);
    expect(world.cache.get({ namespace: space, name: 'b' })?.data?.value).toBe('first');
    const errors = world.env.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => fields.what).sort()).toEqual(['index', 'listener', 'transform']);
  });

  it('can be iterated more than once', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    const all = world.cache.all();
    expect([...all]).toHaveLength(4);
    expect([...all]).toHaveLength(4);
  });

  it('keeps the identical objects when a list brings nothing new', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    const before = [...world.cache.all()];
    world.changes.length = 0;
    for (const watch of world.server.watches) watch.error(410);
    await world.env.clock.settle();
    expect(world.server.count('list')).toBe(4);
    expect([...world.cache.all()].every((thing, index) => thing === before[index])).toBe(true);
    expect(world.changes).toEqual([]);
  });
});

describe('an index', () => {
  it('updates when objects change, and returns the same list until then', async () => {
    const world = cachedWorld({ options: { indexes: { byValue } } });
    await world.env.clock.settle();
    const names = (value: string) => world.cache.by('byValue', value).map(({ metadata }) => metadata.name);
    expect(names('first')).toEqual(['a', 'b', 'c', 'd']);
    expect(world.cache.by('byValue', 'first')).toBe(world.cache.by('byValue', 'first'));
    world.server.put('b', 'second');
    world.server.delete('c');
    await world.env.clock.settle();
    expect([names('first'), names('second'), names('none')]).toEqual([['a', 'd'], ['b'], []]);
    expect(world.cache.by('byValue', 'second')[0]).toBe(world.cache.get({ namespace: space, name: 'b' }));
  });

  it('holds an object under several keys, once under each', async () => {
    const several = (thing: Thing) => [thing.metadata.name, 'all', 'all'];
    const world = cachedWorld({ options: { indexes: { several } } });
    await world.env.clock.settle();
    expect(world.cache.by('several', 'all')).toHaveLength(4);
    expect(world.cache.by('several', 'a')).toHaveLength(1);
  });

  it('throws an internal error when it is not defined', async () => {
    const world = cachedWorld();
    expect(() => world.cache.by('unheard', 'of')).toThrow(
      /^internal error: the cache has no index "unheard"$/,
    );
    await world.caches.stop();
  });
});

describe('caches', () => {
  it('share one watch for the same resource and selection', async () => {
    const world = cachedWorld();
    const other = world.caches.of<Thing>(configMap);
    await world.env.clock.settle();
    expect(world.server.count('watch')).toBe(1);
    expect([...other.all()]).toEqual([...world.cache.all()]);
  });

  it('have separate watches if the selection or the transform differs', async () => {
    const world = cachedWorld();
    const transform = (thing: Thing) => thing;
    world.caches.of<Thing>(configMap, { namespace: space });
    world.caches.of<Thing>(configMap, { transform });
    world.caches.of<Thing>(configMap, { transform });
    await world.env.clock.settle();
    expect(world.server.count('watch')).toBe(3);
  });

  it('accept indexes at any time, named per caller', async () => {
    const world = cachedWorld({ options: { indexes: { byValue } } });
    await world.env.clock.settle();
    const other = world.caches.of<Thing>(configMap, {
      indexes: { byValue: ({ metadata }) => [metadata.name] },
    });
    expect(world.cache.by('byValue', 'first')).toHaveLength(4);
    expect(other.by('byValue', 'first')).toHaveLength(0);
    expect(other.by('byValue', 'a')).toHaveLength(1);
  });

  it('share no watch with a temporary cache, which ends with its signal', async () => {
    const world = cachedWorld();
    const unwanted = new AbortController();
    const brief = world.caches.of<Thing>(configMap, { until: unwanted.signal });
    await brief.synced;
    await world.env.clock.settle();
    expect([world.server.count('watch'), [...brief.all()].length]).toEqual([2, 4]);
    unwanted.abort();
    await world.env.clock.settle();
    expect(world.server.watches.size).toBe(1);
    world.server.put('e', 'later');
    await world.env.clock.settle();
    expect([[...brief.all()].length, world.cached().length]).toEqual([4, 5]);
    await world.caches.stop();
    expect([world.env.clock.pending, world.server.watches.size]).toEqual([0, 0]);
  });

  it('begin with a list that the caller has, and send none of their own', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    const items = [...world.server.things.values()];
    const [first] = items;
    const resourceVersion = String(
      Math.max(...items.map(({ metadata }) => Number(metadata.resourceVersion))),
    );
    world.server.put('a', 'after the list');
    world.server.asked.length = 0;
    const ending = new AbortController();
    const from = { items, resourceVersion };
    const own = world.caches.of<Thing>(configMap, { from, until: ending.signal });
    expect(own.get(first?.metadata ?? { name: '' })?.data?.value).toBe('first');
    await own.synced;
    await world.env.clock.settle();
    expect(world.server.asked.map(({ query }) => query.get('watch'))).toEqual(['true']);
    expect(own.get({ namespace: space, name: 'a' })?.data?.value).toBe('after the list');
    ending.abort();
  });

  it('stop temporary caches too', async () => {
    const world = cachedWorld();
    const brief = world.caches.of<Thing>(configMap, { until: new AbortController().signal });
    await world.caches.stop();
    await expect(brief.synced).rejects.toMatchObject({ kind: 'cancelled' });
    expect([world.env.clock.pending, world.server.watches.size]).toEqual([0, 0]);
  });

  it('hold no timer and no connection once they have stopped', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    await world.caches.stop();
    expect([world.env.clock.pending, world.server.watches.size]).toEqual([0, 0]);
  });
});
