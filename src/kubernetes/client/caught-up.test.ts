import { describe, expect, it } from 'vitest';
import { configMap } from '../types/index.ts';
import { hasCaughtUp } from './caught-up.ts';
import type { AnyObject, Cache, Kube } from './kube.ts';

const object = (name: string, resourceVersion: string, uid = `uid-of-${name}`): AnyObject => ({
  metadata: { name, namespace: 'space', uid, resourceVersion },
});

const cacheOf = (objects: readonly AnyObject[]): Cache<AnyObject> => ({
  synced: Promise.resolve(),
  get: ({ name }) => objects.find(({ metadata }) => metadata.name === name),
  all: () => objects,
  by: () => [],
  onChange: () => undefined,
});

const serverOf = (items: readonly AnyObject[]): Pick<Kube, 'list'> => ({
  // The test gives the objects of this one resource.
  list: async () => ({ items: items as never, resourceVersion: '100' }),
});

describe('hasCaughtUp', () => {
  it.each<[string, boolean, readonly AnyObject[], readonly AnyObject[]]>([
    ['is true for an empty cache of an empty server', true, [], []],
    ['is true where all versions are the same', true, [object('a', '7')], [object('a', '7')]],
    ['is true where the cache has a newer version', true, [object('a', '10')], [object('a', '9')]],
    ['is false where the cache has an older version', false, [object('a', '9')], [object('a', '10')]],
    ['is false where the cache lacks an object', false, [], [object('a', '7')]],
    ['is false where the cache has an object that was deleted', false, [object('a', '7')], []],
    ['is false where the object was recreated', false, [object('a', '9', 'old')], [object('a', '8', 'new')]],
    ['is false where versions cannot be compared', false, [object('a', 'x')], [object('a', 'y')]],
  ])('%s', async (_, expected, cached, live) => {
    const source = { resource: configMap, selection: {}, cache: cacheOf(cached) as never };
    expect(await hasCaughtUp(serverOf(live), source)).toBe(expected);
  });
});
