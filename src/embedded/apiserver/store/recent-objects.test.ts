import { describe, expect, it } from 'vitest';
import { createBuiltinResources } from '../../resources/index.ts';
import { createMemoryStore } from './memory-store.ts';
import { RecentObjects, recentObjects } from './recent-objects.ts';

const [resource, other] = createBuiltinResources();
if (resource === undefined || other === undefined) throw new Error('there are no resources');

const entry = (key: string, revision: number, size = 10) => ({ key, revision, value: new Uint8Array(size) });
const object = { metadata: { name: 'a' } };

describe('RecentObjects', () => {
  it('returns an object only for its revision and resource', () => {
    const recent = new RecentObjects();
    recent.put(entry('a', 1), resource, object);
    expect(recent.get(entry('a', 1), resource)).toBe(object);
    expect(recent.get(entry('a', 2), resource)).toBeUndefined();
    expect(recent.get(entry('a', 1), other)).toBeUndefined();
    expect(recent.get(entry('b', 1), resource)).toBeUndefined();
  });

  it('replaces objects by newer ones', () => {
    const recent = new RecentObjects();
    recent.put(entry('a', 1), resource, object);
    recent.put(entry('a', 2), resource, { metadata: { name: 'b' } });
    expect(recent.get(entry('a', 1), resource)).toBeUndefined();
    expect(recent.get(entry('a', 2), resource)).toEqual({ metadata: { name: 'b' } });
  });

  it('limits its memory and evicts the least recently used', () => {
    const recent = new RecentObjects();
    const size = 400 * 1024;
    for (let index = 0; index < 20; index++) recent.put(entry(`${index}`, 1, size), resource, object);
    expect(recent.get(entry('0', 1), resource)).toBe(object);
    recent.put(entry('20', 1, size), resource, object);
    expect(recent.get(entry('0', 1), resource)).toBe(object);
    expect(recent.get(entry('1', 1), resource)).toBeUndefined();
  });

  it('does not cache very large objects', () => {
    const recent = new RecentObjects();
    recent.put(entry('a', 1), resource, object);
    recent.put(entry('a', 2, 1024 * 1024), resource, object);
    expect(recent.get(entry('a', 1), resource)).toBeUndefined();
    expect(recent.get(entry('a', 2), resource)).toBeUndefined();
  });

  it('has one cache per store', () => {
    const [one, two] = [createMemoryStore(), createMemoryStore()];
    recentObjects(one).put(entry('a', 1), resource, object);
    expect(recentObjects(one).get(entry('a', 1), resource)).toBe(object);
    expect(recentObjects(two).get(entry('a', 1), resource)).toBeUndefined();
  });
});
