/**
 * Own writes that the caches do not show yet, by work queue key (client-go: `ControllerExpectations`). A controller that
 * decided before it observes its last writes would repeat them, such as create a second pod for a missing one.
 *
 * Memory only, and safe to lose: after a restart the caches begin with everything that was written before.
 */
import type { Clock } from '../../base/env.ts';
import {
  type AnyObject,
  type AnyResource,
  after,
  type Cache,
  type Kube,
  type Next,
  OwnWrites,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';
import { keyOfObject } from './object-keys.ts';
import { carryOut, type Write } from './writes.ts';

type ExpectationsOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** An older expectation counts as fulfilled: the write may have been reverted without an event. */
  readonly timeoutMs: number;
};

type Expectation = {
  readonly key: string;
  readonly sinceMs: number;
  readonly isPending: () => boolean;
};

export class Expectations {
  readonly #options: ExpectationsOptions;
  readonly #ownWrites = new Map<AnyResource, OwnWrites<AnyObject>>();
  /** By the UID of the object. */
  readonly #expectations = new Map<string, Expectation>();

  constructor(options: ExpectationsOptions) {
    this.#options = options;
  }

  /** Writes to this resource are expected in this cache. Writes to other resources are not tracked. */
  track<T extends AnyObject>(resource: ResourceOf<T>, cache: Cache<T>): void {
    this.#ownWrites.set(resource, new OwnWrites<AnyObject>(cache));
  }

  /** When to reconcile the key at the latest; undefined if the caches show all writes that were made for it. */
  pending(key: string): Next | undefined {
    const { clock, timeoutMs } = this.#options;
    let longestMs: number | undefined;
    for (const [uid, expectation] of this.#expectations) {
      const leftMs = expectation.sinceMs + timeoutMs - clock.monotonic();
      if (leftMs <= 0 || !expectation.isPending()) this.#expectations.delete(uid);
      else if (expectation.key === key) longestMs = Math.max(longestMs ?? 0, leftMs);
    }
    return longestMs === undefined ? undefined : after(longestMs, 'own writes are not observed yet');
  }

  /** Carries out the writes in order, up to the first stale one, which is returned. */
  async carryOut(kube: Kube, key: string, writes: readonly Write[]): Promise<Write | undefined> {
    for (const write of writes) {
      const written = await carryOut(kube, write);
      if (written.kind === 'stale') return write;
      if (written.kind !== 'void')
        this.#expect(key, write, written.kind === 'written' ? written.object : undefined);
    }
    return undefined;
  }

  /** `written`: the server's answer; undefined after a deletion. */
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
    const place = keyOfObject(object);
    const sinceMs = this.#options.clock.monotonic();
    this.#expectations.set(uid, { key, sinceMs, isPending: () => ownWrites.isPending(place, uid) });
  }
}
