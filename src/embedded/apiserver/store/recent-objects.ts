/**
 * The objects that were read or written last, as they are shown: whoever changes an object reads it first, most often
 * right after somebody else has, and to parse it anew would take longer than all that is done with it. Those who change it
 * go on from the very parts that did not change, so that what is known of those is known still.
 *
 * Nothing here is older than the store: an object counts only for the revision and the resource that are asked for.
 */
import type { JsonObject } from '../../../base/json.ts';
import type { Resource } from '../../resources/index.ts';
import type { Entry, Revision, Store } from './store.ts';

/** Measured in the bytes of the store; in memory an object takes a few times as much. */
const MAX_BYTES = 8 * 1024 * 1024;
/** One of this size would push out all the others. */
const MAX_OBJECT_BYTES = 512 * 1024;

type Recent = {
  readonly resource: Resource;
  readonly revision: Revision;
  readonly object: JsonObject;
  readonly sizeBytes: number;
};

export class RecentObjects {
  /** By key; the one that was used last stands last. */
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

/** Those of a store. */
export function recentObjects(store: Store): RecentObjects {
  const known = recent.get(store) ?? new RecentObjects();
  recent.set(store, known);
  return known;
}

const recent = new WeakMap<Store, RecentObjects>();
