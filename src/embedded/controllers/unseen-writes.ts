/**
 * Writes that the caches do not show yet. A controller that decided before it sees what it has just done would do it
 * again: a second pod for one that is missing, a pod for a job whose success is already noted.
 *
 * Memory here is a cache of what is on its way, no more: after a restart the caches begin with all that there is.
 */
import type { Clock } from '../../base/env.ts';
import type { AnyObject, Cache, Kube, ResourceOf } from '../../kubernetes/client/index.ts';
import { placeOfObject } from './object-keys.ts';
import { carryOut, type Write } from './writes.ts';

type UnseenWritesOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** After this long a write counts as seen: it may have been undone while nobody looked. */
  readonly limitMs: number;
};

type Unseen = {
  readonly key: string;
  readonly sinceMs: number;
  /** Whether the object in the cache shows the write. */
  readonly isShownBy: (object: AnyObject) => boolean;
};

type Followed = { readonly resource: ResourceOf<AnyObject>; readonly cache: Cache<AnyObject> };

export class UnseenWrites {
  readonly #options: UnseenWritesOptions;
  readonly #followed: Followed[] = [];
  /** By the uid of the object. */
  readonly #unseen = new Map<string, Unseen>();

  constructor(options: UnseenWritesOptions) {
    this.#options = options;
  }

  /** Writes to this resource are looked for in this cache. */
  follow<T extends AnyObject>(resource: ResourceOf<T>, cache: Cache<T>): void {
    this.#followed.push({ resource, cache });
    cache.onChange(({ before, after }) => {
      const uid = (after ?? before)?.metadata.uid ?? '';
      const unseen = this.#unseen.get(uid);
      if (unseen !== undefined && (after === undefined || unseen.isShownBy(after))) this.#unseen.delete(uid);
      // Another object has taken the place.
      if (before !== undefined && before.metadata.uid !== uid) this.#unseen.delete(before.metadata.uid ?? '');
    });
  }

  /** How long the key has still to wait at most; undefined where all that was written for it can be seen. */
  waitMs(key: string): number | undefined {
    const { clock, limitMs } = this.#options;
    let longest: number | undefined;
    for (const [uid, unseen] of this.#unseen) {
      if (unseen.key !== key) continue;
      const left = unseen.sinceMs + limitMs - clock.monotonic();
      if (left <= 0) this.#unseen.delete(uid);
      else longest = Math.max(longest ?? 0, left);
    }
    return longest;
  }

  /** Carries out the writes in order, up to the first that turns out to be stale, which it gives back. */
  async carryOut(kube: Kube, key: string, writes: readonly Write[]): Promise<Write | undefined> {
    for (const write of writes) {
      const written = await carryOut(kube, write);
      if (written.kind === 'stale') return write;
      if (written.kind !== 'void')
        this.#expect(key, write, written.kind === 'written' ? written.object : undefined);
    }
    return undefined;
  }

  /** `written`: the object as it is now; absent where it was deleted. */
  #expect(key: string, write: Write, written: AnyObject | undefined): void {
    const object = written ?? write.object;
    const { uid } = object.metadata;
    const cache = this.#followed.find(({ resource }) => resource === write.resource)?.cache;
    if (cache === undefined || uid === undefined) return;
    const isShownBy = written === undefined ? isGoing : showsVersionOf(written);
    // The watch may have been faster than the answer. What was there and is not any more shows every change.
    const shown = cache.get(placeOfObject(object));
    const isThere = shown?.metadata.uid === uid;
    if (isThere ? isShownBy(shown) : write.kind !== 'create') return;
    this.#unseen.set(uid, { key, sinceMs: this.#options.clock.monotonic(), isShownBy });
  }
}

/** Versions of one object only grow, and the server counts them in whole numbers. */
function showsVersionOf({ metadata }: AnyObject): (object: AnyObject) => boolean {
  const written = Number(metadata.resourceVersion ?? 0);
  return (object) => Number(object.metadata.resourceVersion ?? 0) >= written;
}

function isGoing({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
