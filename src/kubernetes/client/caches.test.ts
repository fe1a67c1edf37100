import { describe, expect, it } from 'vitest';
import { cachedWorld } from '../../../test/kube/cached-world.ts';
import type { Thing } from '../../../test/kube/scripted-server.ts';
import { configMap } from '../types/index.ts';
import type { Change } from './kube.ts';

const byValue = (thing: Thing) => [thing.data?.value ?? ''];
const space = 'space';

describe('a cache', () => {
  it('rejects those who wait for it when it stops before it is filled', async () => {
    const world = cachedWorld();
    world.env.stop();
    await expect(world.cache.synced).rejects.toMatchObject({ kind: 'cancelled' });
    await world.env.clock.advance(60_000);
    expect(world.server.asked.length).toBeLessThanOrEqual(1);
  });

  it('asks for what is selected, page by page and then as it changes', async () => {
    const selection = { namespace: 'a b', labelSelector: 'x in (y, z)', fieldSelector: 'metadata.name=n' };
    const world = cachedWorld({ options: selection });
    await world.env.clock.settle();
    for (const { query } of world.server.asked) {
      expect(query.get('labelSelector')).toBe('x in (y, z)');
      expect(query.get('fieldSelector')).toBe('metadata.name=n');
    }
  });

  it('is filled before anybody who waits for it goes on', async () => {
    const world = cachedWorld();
    const seen: number[] = [];
    const waiting = world.cache.synced.then(() => seen.push([...world.cache.all()].length));
    await world.env.clock.settle();
    await waiting;
    expect(seen).toEqual([4]);
    expect(world.cache.get({ namespace: space, name: 'a' })?.data?.value).toBe('first');
    expect(world.cache.get({ name: 'a' })).toBeUndefined();
  });

  it('holds objects that nobody can change, whichever way they came', async () => {
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

  it('says what objects are, also where the list did not', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    expect(world.cache.get({ namespace: space, name: 'a' })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  it('drops who owns which field, and what the transform leaves out', async () => {
    const transform = (thing: Thing): Thing => ({ ...thing, data: { value: 'small' } });
    const world = cachedWorld({ options: { transform } });
    const { things } = world.server;
    for (const [name, thing] of things) {
      things.set(name, { ...thing, metadata: { ...thing.metadata, managedFields: [{ manager: 'x' }] } });
    }
    await world.env.clock.settle();
    const thing = world.cache.get({ namespace: space, name: 'a' });
    expect(thing?.data).toEqual({ value: 'small' });
    expect(thing?.metadata).not.toHaveProperty('managedFields');
    expect(Object.isFrozen(thing?.data)).toBe(true);
  });

  it('tells of each change once, with what was before, after it can be seen', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    world.changes.length = 0;
    const visible: (string | undefined)[] = [];
    world.cache.onChange(() => visible.push(world.cache.get({ namespace: space, name: 'a' })?.data?.value));
    visible.length = 0;
    world.server.put('a', 'second');
    world.server.delete('a');
    await world.env.clock.settle();
    const said = ({ before, after }: Change<Thing>) => `${before?.data?.value} → ${after?.data?.value}`;
    expect(world.changes.map(said)).toEqual(['first → second', 'second → undefined']);
    expect(visible).toEqual(['second', undefined]);
  });

  it('tells those who come late of all that is there', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    const late: Change<Thing>[] = [];
    world.cache.onChange((change) => late.push(change));
    expect(late.map(({ before, after }) => [before, after?.metadata.name])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [undefined, name]),
    );
  });

  it('goes on when a listener, an index or a transform fails on an object', async () => {
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

  it('can be gone through more than once', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    const all = world.cache.all();
    expect([...all]).toHaveLength(4);
    expect([...all]).toHaveLength(4);
  });

  it('keeps the very same objects when a list brings nothing new', async () => {
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
  it('files objects anew as they change, and gives the same list until then', async () => {
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

  it('files an object under several keys, once under each', async () => {
    const several = (thing: Thing) => [thing.metadata.name, 'all', 'all'];
    const world = cachedWorld({ options: { indexes: { several } } });
    await world.env.clock.settle();
    expect(world.cache.by('several', 'all')).toHaveLength(4);
    expect(world.cache.by('several', 'a')).toHaveLength(1);
  });

  it('that nobody brought is a mistake of ours', async () => {
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

  it('share nothing where the selection or the transform differs', async () => {
    const world = cachedWorld();
    const transform = (thing: Thing) => thing;
    world.caches.of<Thing>(configMap, { namespace: space });
    world.caches.of<Thing>(configMap, { transform });
    world.caches.of<Thing>(configMap, { transform });
    await world.env.clock.settle();
    expect(world.server.count('watch')).toBe(3);
  });

  it('take indexes at any time, each under the names of who brought them', async () => {
    const world = cachedWorld({ options: { indexes: { byValue } } });
    await world.env.clock.settle();
    const other = world.caches.of<Thing>(configMap, {
      indexes: { byValue: ({ metadata }) => [metadata.name] },
    });
    expect(world.cache.by('byValue', 'first')).toHaveLength(4);
    expect(other.by('byValue', 'first')).toHaveLength(0);
    expect(other.by('byValue', 'a')).toHaveLength(1);
  });

  it('share nothing with one that is wanted for a while, which ends by itself', async () => {
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

  it('stop also what is wanted for a while', async () => {
    const world = cachedWorld();
    const brief = world.caches.of<Thing>(configMap, { until: new AbortController().signal });
    await world.caches.stop();
    await expect(brief.synced).rejects.toMatchObject({ kind: 'cancelled' });
    expect([world.env.clock.pending, world.server.watches.size]).toEqual([0, 0]);
  });

  it('take up no time and no connection once they have stopped', async () => {
    const world = cachedWorld();
    await world.env.clock.settle();
    await world.caches.stop();
    expect([world.env.clock.pending, world.server.watches.size]).toEqual([0, 0]);
  });
});
