/**
 * Read-your-writes over a cache. A cache lags behind the server; a controller that decided from it right after a write
 * would decide without that write, and act twice. Here the server's answers are laid over the cache until it has caught
 * up (client-go: `MutationCache`).
 *
 *     record(answer) ──> pending ──> the cache shows that version, a later one, or that the object is gone
 *     markUnconfirmed(key) ──> unconfirmed ──> record(), forget(), or the object is gone
 *
 * A write without an answer may have happened or not: it is unconfirmed until the caller has asked the server (`confirm`).
 *
 * Memory only, and safe to lose: after a restart the caches begin with everything that was written before.
 */
import { forEachAtOnce } from '../../base/at-once.ts';
import type { AnyObject, Cache, ObjectKey } from './kube.ts';
import { keyOf } from './raw-object.ts';
import { isOlder } from './versions.ts';

/** The number of unconfirmed objects that are read at the same time. */
const READS_AT_ONCE = 25;

type Pending<T> = { readonly object: T; readonly isDeleted: boolean };

export class OwnWrites<T extends AnyObject> {
  readonly #cache: Cache<T>;
  readonly #pending = new Map<string, Pending<T>>();
  readonly #unconfirmed = new Map<string, ObjectKey>();

  /** To be created before anything else listens to the cache: listeners then see what is pending after the change. */
  constructor(cache: Cache<T>) {
    this.#cache = cache;
    cache.onChange(({ before, after }) => {
      const isReplaced = before !== undefined && before.metadata.uid !== after?.metadata.uid;
      if (isReplaced) this.#onGone(before);
      if (after !== undefined) this.#onShown(after);
    });
  }

  /** The newest known version of the object. */
  get(place: ObjectKey): T | undefined {
    const pending = this.#pending.get(keyOf(place));
    return pending === undefined || pending.isDeleted ? this.#cache.get(place) : pending.object;
  }

  /** All objects of the cache, each in its newest known version. */
  *all(): Generator<T> {
    for (const cached of this.#cache.all()) yield this.get(cached.metadata) ?? cached;
  }

  /**
   * Takes the server's answer to a write or a read, and confirms the object. True where the cache does not show it yet.
   * An object that the cache does not have counts as deleted meanwhile, unless it was just created.
   */
  record(object: T, { isCreated = false }: { readonly isCreated?: boolean } = {}): boolean {
    const key = keyOf(object.metadata);
    this.#unconfirmed.delete(key);
    const cached = this.#cache.get(object.metadata);
    const isCached = cached !== undefined && cached.metadata.uid === object.metadata.uid;
    const isPending = isCached ? !isSameOrNewer(cached, object) : isCreated;
    const pending = this.#pending.get(key);
    // A read may be answered after a later write.
    if (pending !== undefined && isOlderVersion(object, pending.object)) return false;
    if (isPending) this.#pending.set(key, { object, isDeleted: false });
    else this.#pending.delete(key);
    return isPending;
  }

  /** The object was deleted. True where the cache does not show it yet, not even as terminating. */
  recordDeletion(object: T): boolean {
    const key = keyOf(object.metadata);
    this.#unconfirmed.delete(key);
    const cached = this.#cache.get(object.metadata);
    const isCached = cached !== undefined && cached.metadata.uid === object.metadata.uid;
    const isPending = isCached && !isTerminating(cached);
    if (isPending) this.#pending.set(key, { object, isDeleted: true });
    else this.#pending.delete(key);
    return isPending;
  }

  /** Whether the cache does not show our last write of the object yet. With a uid, of that very object. */
  isPending(place: ObjectKey, uid?: string): boolean {
    const pending = this.#pending.get(keyOf(place));
    return pending !== undefined && (uid === undefined || pending.object.metadata.uid === uid);
  }

  /** A write of the object is under way, or ended without an answer. */
  markUnconfirmed({ name, namespace }: ObjectKey): void {
    const place: ObjectKey = namespace === undefined ? { name } : { name, namespace };
    this.#unconfirmed.set(keyOf(place), place);
  }

  isUnconfirmed(place: ObjectKey): boolean {
    return this.#unconfirmed.has(keyOf(place));
  }

  unconfirmed(): readonly ObjectKey[] {
    return [...this.#unconfirmed.values()];
  }

  /**
   * Reads unconfirmed objects from the server. `onPending` is called for each that the cache does not show yet, also if the
   * read of another one fails: from then on it is confirmed.
   */
  async confirm(
    read: (place: ObjectKey) => Promise<T | undefined>,
    onPending: (object: T) => void = nothing,
  ): Promise<void> {
    await forEachAtOnce(this.unconfirmed(), READS_AT_ONCE, async (place) => {
      const object = await read(place);
      if (object === undefined) this.forget(place);
      else if (this.record(object)) onPending(object);
    });
  }

  /** The write did not happen, or the object is gone. */
  forget(place: ObjectKey): void {
    this.#unconfirmed.delete(keyOf(place));
    this.#pending.delete(keyOf(place));
  }

  #onGone(object: T): void {
    const key = keyOf(object.metadata);
    this.#unconfirmed.delete(key);
    if (this.#pending.get(key)?.object.metadata.uid === object.metadata.uid) this.#pending.delete(key);
  }

  #onShown(object: T): void {
    const key = keyOf(object.metadata);
    const pending = this.#pending.get(key);
    // One with another uid had the name before ours.
    if (pending === undefined || pending.object.metadata.uid !== object.metadata.uid) return;
    if (shows(object, pending)) this.#pending.delete(key);
  }
}

function isOlderVersion({ metadata: a }: AnyObject, { metadata: b }: AnyObject): boolean {
  return a.uid === b.uid && isOlder(a.resourceVersion ?? '', b.resourceVersion ?? '');
}

function isSameOrNewer({ metadata: a }: AnyObject, { metadata: b }: AnyObject): boolean {
  return a.resourceVersion === b.resourceVersion || isOlder(b.resourceVersion ?? '', a.resourceVersion ?? '');
}

/** Of a change that arrives after the write. Where versions cannot be compared, any such change counts. */
function shows(cached: AnyObject, { object, isDeleted }: Pending<AnyObject>): boolean {
  if (isDeleted) return isTerminating(cached);
  return !isOlder(cached.metadata.resourceVersion ?? '', object.metadata.resourceVersion ?? '');
}

function isTerminating({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function nothing(): void {}
