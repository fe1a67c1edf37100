/**
 * Caches that count reads: how many objects are iterated over, and how often a node is read. That measures the cost of an
 * event independently of machine and load.
 */
import type {
  AnyObject,
  Cache,
  CacheOptions,
  Caches,
  ResourceOf,
} from '../../src/kubernetes/client/index.ts';

export type Looks = {
  /** Objects of any kind that were iterated over. */
  readonly enumerated: number;
  /** How often a field of a Node was read. */
  readonly nodeReads: number;
};

export type LookCounter = {
  readonly wrap: (caches: Caches) => Caches;
  readonly looks: () => Looks;
};

export function createLookCounter(): LookCounter {
  let enumerated = 0;
  let nodeReads = 0;
  const proxies = new WeakMap<AnyObject, AnyObject>();
  /** The same object for the same object: identity is what some remember things by. */
  const shown = <T extends AnyObject>(object: T): T => {
    const known = proxies.get(object);
    // What was put in under an object is made from that object.
    if (known !== undefined) return known as T;
    const proxy = new Proxy(object, {
      get(target, key, receiver) {
        nodeReads++;
        return Reflect.get(target, key, receiver);
      },
    });
    proxies.set(object, proxy);
    return proxy;
  };
  const wrapCache = <T extends AnyObject>(cache: Cache<T>, isNodes: boolean): Cache<T> => {
    const show = (object: T | undefined) => (object === undefined || !isNodes ? object : shown(object));
    const all = function* (objects: Iterable<T>) {
      for (const object of objects) {
        enumerated++;
        yield isNodes ? shown(object) : object;
      }
    };
    return {
      synced: cache.synced,
      get: (place) => show(cache.get(place)),
      all: () => all(cache.all()),
      by: (index, key) => [...all(cache.by(index, key))],
      onChange: (listener) =>
        cache.onChange(({ before, after }) => listener({ before: show(before), after: show(after) })),
    };
  };
  return {
    wrap: (caches) => ({
      of<T extends AnyObject>(resource: ResourceOf<T>, options?: CacheOptions<T>): Cache<T> {
        return wrapCache(caches.of(resource, options), resource.kind === 'Node');
      },
    }),
    looks: () => ({ enumerated, nodeReads }),
  };
}
