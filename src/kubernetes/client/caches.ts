/**
 * Caches of the server's objects, shared between callers.
 */
import type { Env } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import { onAbort } from '../../base/waiting.ts';
import type { Metrics } from '../metrics/index.ts';
import { CACHE_OBJECTS, WATCH_RESTARTS } from './client-metrics.ts';
import type {
  AnyObject,
  AnyResource,
  Cache,
  CacheOptions,
  Caches,
  Change,
  Listed,
  ObjectKey,
  ResourceOf,
  Selection,
  Transform,
} from './kube.ts';
import type { ObjectIndex } from './object-index.ts';
import { ObjectStore } from './object-store.ts';
import { keyOf } from './raw-object.ts';
import { DEFAULT_REFLECTOR_SETTINGS, Reflector, type ReflectorSettings } from './reflector.ts';
import type { RequestLimits } from './request-limits.ts';
import { Requests } from './requests.ts';
import type { Transport } from './transport.ts';

type CachesOptions = {
  readonly transport: Transport;
  readonly env: Env;
  readonly userAgent?: string;
  readonly limits?: Partial<RequestLimits>;
  readonly settings?: Partial<ReflectorSettings>;
  /** With the definitions of `CONTROLLER_METRICS`; nothing is measured without it. */
  readonly metrics?: Metrics;
};

/**
 * A cache starts when it is first requested, and is updated until the signal of its env is aborted or `stop` is called.
 * Objects come without their `managedFields`.
 *
 * Callers with the same resource, selection and transform (the same function) share a cache. Index names are local to the
 * caller, and can be added at any time. A cache with an `until` signal is not shared, and is dropped when it has ended.
 */
export function createCaches(options: CachesOptions): Caches & { stop(): Promise<void> } {
  const stopping = new AbortController();
  const env = { ...options.env, signal: AbortSignal.any([options.env.signal, stopping.signal]) };
  const requests = new Requests({ ...options, env });
  const settings = { ...DEFAULT_REFLECTOR_SETTINGS, ...options.settings };
  const shared = new Map<string, SharedCache<AnyObject>[]>();
  const ends = new Set<Promise<void>>();
  const sizes = new CacheSizes();
  const restarts = options.metrics?.counter(WATCH_RESTARTS);
  options.metrics?.read(CACHE_OBJECTS, () => sizes.readings());
  const made = <T extends AnyObject>(
    resource: ResourceOf<T>,
    cacheOptions: CacheOptions<T>,
  ): SharedCache<T> => {
    const { indexes: _, transform, from, until, ...selection } = cacheOptions;
    const { signal, forget } = anyOf(env.signal, until);
    const name = cacheName(resource, selection);
    const own = { ...env, signal };
    const onWatchEnded = (reason: string) => restarts?.add({ resource: resource.plural, reason });
    const options = { requests, env: own, resource, selection, transform, from, settings, name };
    const cache = new SharedCache<T>({ ...options, onWatchEnded });
    const leave = sizes.enter(resource.plural, cache.store);
    const ended = cache.ended.finally(() => {
      forget();
      leave();
      ends.delete(ended);
    });
    ends.add(ended);
    return cache;
  };
  return {
    of<T extends AnyObject>(resource: ResourceOf<T>, cacheOptions: CacheOptions<T> = {}): Cache<T> {
      const { indexes = {}, transform, from: _, until, ...selection } = cacheOptions;
      if (until !== undefined) return new CacheView(made(resource, cacheOptions), indexes);
      const name = cacheName(resource, selection);
      // The same resource has the same type: under its name there are only caches of T.
      const known = (shared.get(name) ?? []) as SharedCache<AnyObject>[] as unknown as SharedCache<T>[];
      const found = known.find((one) => one.transform === transform);
      const cache = found ?? made(resource, cacheOptions);
      if (found === undefined) shared.set(name, [...known, cache] as unknown as SharedCache<AnyObject>[]);
      return new CacheView(cache, indexes);
    },
    async stop() {
      stopping.abort();
      await Promise.all(ends);
    },
  };
}

type SharedCacheOptions<T> = {
  readonly requests: Requests;
  readonly env: Env;
  readonly resource: AnyResource;
  readonly selection: Selection;
  readonly transform: Transform<T> | undefined;
  readonly from: Listed<T> | undefined;
  readonly settings: ReflectorSettings;
  readonly name: string;
  readonly onWatchEnded: (reason: 'ended' | 'expired' | 'failed') => void;
};

/** The number of objects of the caches that are running. */
class CacheSizes {
  readonly #caches = new Map<{ readonly size: number }, string>();

  /** Returns what removes it again. */
  enter(resource: string, store: { readonly size: number }): () => void {
    this.#caches.set(store, resource);
    return () => this.#caches.delete(store);
  }

  readings() {
    const sums = new Map<string, number>();
    for (const [{ size }, resource] of this.#caches) sums.set(resource, (sums.get(resource) ?? 0) + size);
    return [...sums].map(([resource, value]) => ({ labels: { resource }, value }));
  }
}

class SharedCache<T extends AnyObject> {
  readonly transform: Transform<T> | undefined;
  readonly store: ObjectStore<T>;
  readonly synced: Promise<void>;
  /** Settles when the cache has ended. It rejects only with a `Bug`, which is left unhandled on purpose: it ends the process. */
  readonly ended: Promise<void>;

  constructor(options: SharedCacheOptions<T>) {
    const { env, transform, name } = options;
    this.transform = transform;
    this.store = new ObjectStore<T>({ log: env.log, name, transform });
    let onListed = nothing;
    let onStopped: (error: unknown) => void = nothing;
    this.synced = new Promise((resolve, reject) => {
      onListed = resolve;
      onStopped = reject;
    });
    // Not every caller waits for it.
    this.synced.catch(nothing);
    const { store: target } = this;
    const reflector = new Reflector<T>({ ...options, target, onListed });
    this.ended = reflector.run().finally(() => {
      onStopped(new Failure('cancelled', 'Cancelled', `the cache of ${name} stopped before it was synced`));
    });
  }
}

/** The shared cache with the indexes of one caller. */
class CacheView<T extends AnyObject> implements Cache<T> {
  readonly #shared: SharedCache<T>;
  readonly #indexes: ReadonlyMap<string, ObjectIndex<T>>;

  constructor(shared: SharedCache<T>, indexes: NonNullable<CacheOptions<T>['indexes']>) {
    this.#shared = shared;
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, keysOf]) => [name, shared.store.index(keysOf)]),
    );
  }

  get synced(): Promise<void> {
    return this.#shared.synced;
  }

  get(place: ObjectKey): T | undefined {
    return this.#shared.store.get(keyOf(place));
  }

  all(): Iterable<T> {
    return this.#shared.store.all();
  }

  by(index: string, key: string): readonly T[] {
    const found = this.#indexes.get(index);
    assert(found !== undefined, `the cache has no index ${JSON.stringify(index)}`);
    return found.get(key);
  }

  onChange(listener: (change: Change<T>) => void): void {
    this.#shared.store.onChange(listener);
  }
}

/** Aborted as soon as one of them is. `AbortSignal.any` would leak for a signal that lives as long as the process. */
function anyOf(
  first: AbortSignal,
  second: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly forget: () => void } {
  if (second === undefined) return { signal: first, forget: nothing };
  const ending = new AbortController();
  const forgets = [first, second].map((signal) => onAbort(signal, () => ending.abort()));
  return {
    signal: ending.signal,
    forget: () => {
      for (const forget of forgets) forget();
    },
  };
}

/** Identifies resource and selection, also in logs. */
function cacheName({ group, version, plural }: AnyResource, selection: Selection): string {
  const resource = group === '' ? `${plural}.${version}` : `${plural}.${version}.${group}`;
  const { namespace, labelSelector, fieldSelector } = selection;
  const chosen = canonicalJson({ namespace, labelSelector, fieldSelector });
  return chosen === '{}' ? resource : `${resource} ${chosen}`;
}

function nothing(): void {}
