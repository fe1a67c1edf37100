/**
 * A cache of decoded objects. Updates read an object first, mostly right after another request, and parsing would be
 * the largest part of their cost. Unchanged parts keep their identity, so that caches by identity stay valid.
 *
 * Entries are valid only for their revision and resource, so they are never stale.
 */
import type { JsonObject } from '../../../base/json.ts';
import type { Resource } from '../../resources/index.ts';
import type { Entry, Revision, Store } from './store.ts';

/** In bytes of the store; decoded objects take a few times as much. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Larger objects would evict all others. */
const MAX_OBJECT_BYTES = 512 * 1024;

type Recent = {
  readonly resource: Resource;
  readonly revision: Revision;
  readonly object: JsonObject;
  readonly sizeBytes: number;
};

export class RecentObjects {
  /** By key, in order of use. */
  readonly #objects = new Map<string, Recent>();
  #sizeBytes = 0;

  get({ key, revision }: Entry, resource: Resource): JsonObject | undefined {
    const found = this.#objects.get(key);
    if (found === undefined || found.revision !== revision || found.resource !== resource) return undefined;
    this.#objects.delete(key);
    this.#objects.set(key, found);
    return found.object;
  }

  put({ key, revision, value }: Entry, resource: Resource, object: JsonObject): void {
    this.#forget(key);
    const sizeBytes = value.length;
    if (sizeBytes > MAX_OBJECT_BYTES) return;
    this.#objects.set(key, { resource, revision, object, sizeBytes });
    this.#sizeBytes += sizeBytes;
    for (const oldest of this.#objects.keys()) {
      if (this.#sizeBytes <= MAX_BYTES) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#sizeBytes -= this.#objects.get(key)?.sizeBytes ?? 0;
    this.#objects.delete(key);
  }
}

/** The cache of a store. */
export function recentObjects(store: Store): RecentObjects {
  const known = recent.get(store) ?? new RecentObjects();
  recent.set(store, known);
  return known;
}

const recent = new WeakMap<Store, RecentObjects>();
