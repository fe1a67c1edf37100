/**
 * Writes that the caches do not show yet. A controller that decided before it sees what it has just done would do it
 * again: a second pod for one that is missing, a pod for a job whose success is already noted.
 *
 * Memory here is a cache of what is on its way, no more: after a restart the caches begin with all that there is.
 */
import type { Clock } from '../../base/env.ts';
import {
  type AnyObject,
  type AnyResource,
  type Cache,
  type Kube,
  OwnWrites,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';
import { placeOfObject } from './object-keys.ts';
import { carryOut, type Write } from './writes.ts';

type UnseenWritesOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** After this long a write counts as seen: it may have been reverted without an event. */
  readonly limitMs: number;
};

type Unseen = {
  readonly key: string;
  readonly sinceMs: number;
  readonly isPending: () => boolean;
};

export class UnseenWrites {
  readonly #options: UnseenWritesOptions;
  readonly #ownWrites = new Map<AnyResource, OwnWrites<AnyObject>>();
  /** By the uid of the object. */
  readonly #unseen = new Map<string, Unseen>();

  constructor(options: UnseenWritesOptions) {
    this.#options = options;
  }

  /** Writes to this resource are looked for in this cache. */
  follow<T extends AnyObject>(resource: ResourceOf<T>, cache: Cache<T>): void {
    this.#ownWrites.set(resource, new OwnWrites<AnyObject>(cache));
  }

  /** How long the key has still to wait at most; undefined where all that was written for it can be seen. */
  waitMs(key: string): number | undefined {
    const { clock, limitMs } = this.#options;
    let longest: number | undefined;
    for (const [uid, unseen] of this.#unseen) {
      const left = unseen.sinceMs + limitMs - clock.monotonic();
      if (left <= 0 || !unseen.isPending()) this.#unseen.delete(uid);
      else if (unseen.key === key) longest = Math.max(longest ?? 0, left);
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
    const ownWrites = this.#ownWrites.get(write.resource);
    if (ownWrites === undefined || uid === undefined) return;
    const isPending =
      written === undefined
        ? ownWrites.recordDeletion(object)
        : ownWrites.record(written, { isCreated: write.kind === 'create' });
    if (!isPending) return;
    const place = placeOfObject(object);
    const sinceMs = this.#options.clock.monotonic();
    this.#unseen.set(uid, { key, sinceMs, isPending: () => ownWrites.isPending(place, uid) });
  }
}
