/**
 * Whether a cache shows what the server has now.
 *
 * Caches lag, each by itself: one may show a change long before another shows what was written earlier. A decision that
 * depends on several of them and cannot be withdrawn compares them with the server first.
 */
import type { AnyObject, Cache, Caches, Kube, ResourceOf, Selection } from './kube.ts';
import { keyOf } from './raw-object.ts';
import { isOlder } from './versions.ts';

/** A cache, and what it was opened for. */
export type CachedResource<T extends AnyObject = AnyObject> = {
  readonly resource: ResourceOf<T>;
  readonly selection: Selection;
  readonly cache: Cache<T>;
};

export function cachedResource<T extends AnyObject>(
  caches: Caches,
  resource: ResourceOf<T>,
  selection: Selection = {},
): CachedResource<T> {
  return { resource, selection, cache: caches.of(resource, selection) };
}

/** False where the cache lags. It may also be false because of a change during the request: then ask again. */
export async function hasCaughtUp<T extends AnyObject>(
  kube: Pick<Kube, 'list'>,
  { resource, selection, cache }: CachedResource<T>,
): Promise<boolean> {
  const { items } = await kube.list(resource, selection);
  const live = new Map(items.map((item) => [keyOf(item.metadata), item]));
  const isShown = (item: T): boolean => {
    const cached = cache.get(item.metadata);
    return cached !== undefined && isSameOrNewer(cached, item);
  };
  return items.every(isShown) && [...cache.all()].every(({ metadata }) => live.has(keyOf(metadata)));
}

function isSameOrNewer({ metadata: cached }: AnyObject, { metadata: live }: AnyObject): boolean {
  if (cached.uid !== live.uid) return false;
  const [ours = '', theirs = ''] = [cached.resourceVersion, live.resourceVersion];
  return ours === theirs || isOlder(theirs, ours);
}
