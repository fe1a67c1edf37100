import { beforeEach, describe, expect, it } from 'vitest';
import { aPod } from '../../../test/build-workloads.ts';
import { VirtualClock } from '../../../test/virtual-clock.ts';
import type { Cache, Change, Kube, ObjectKey } from '../../kubernetes/client/index.ts';
import { type Pod, pod } from '../../kubernetes/types/index.ts';
import { UnseenWrites } from './unseen-writes.ts';
import { create, remove, updateStatus } from './writes.ts';

/** A cache that the test controls. */
class ControlledCache implements Cache<Pod> {
  readonly synced = Promise.resolve();
  readonly #objects = new Map<string, Pod>();
  readonly #listeners: ((change: Change<Pod>) => void)[] = [];

  show(name: string, after: Pod | undefined): void {
    const before = this.#objects.get(name);
    if (after === undefined) this.#objects.delete(name);
    else this.#objects.set(name, after);
    for (const listener of this.#listeners) listener({ before, after });
  }

  get({ name }: ObjectKey): Pod | undefined {
    return this.#objects.get(name);
  }

  all(): Iterable<Pod> {
    return this.#objects.values();
  }

  by(): readonly Pod[] {
    return [];
  }

  onChange(listener: (change: Change<Pod>) => void): void {
    this.#listeners.push(listener);
  }
}

/** A server that does what it is asked to, one version after the other. */
function aServer(): Pick<Kube, 'create' | 'update' | 'delete'> {
  let version = 10;
  const next = <T extends { readonly metadata: object }>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(++version) },
  });
  return {
    create: async (_, object) => next(object),
    update: async (_, object) => next(object),
    delete: async () => true,
  };
}

const versioned = (name: string, resourceVersion: number, given = {}) =>
  aPod(name, {}, { resourceVersion: String(resourceVersion), ...given });

describe('a write', () => {
  let clock: VirtualClock;
  let cache: ControlledCache;
  let unseen: UnseenWrites;
  // Nothing else of it is asked for.
  const kube = aServer() as Kube;

  beforeEach(() => {
    clock = new VirtualClock();
    cache = new ControlledCache();
    unseen = new UnseenWrites({ clock, limitMs: 60_000 });
    unseen.follow(pod, cache);
  });

  it('that made something is unseen until it is there', async () => {
    await unseen.carryOut(kube, 'key', [create(pod, aPod('a'))]);
    expect(unseen.waitMs('key')).toBe(60_000);
    expect(unseen.waitMs('another')).toBeUndefined();
    cache.show('a', versioned('a', 99));
    expect(unseen.waitMs('key')).toBeUndefined();
  });

  it('that made something is seen also where it is gone by then', async () => {
    await unseen.carryOut(kube, 'key', [create(pod, aPod('a'))]);
    cache.show('a', versioned('a', 1));
    expect(unseen.waitMs('key')).toBeDefined();
    cache.show('a', undefined);
    expect(unseen.waitMs('key')).toBeUndefined();
  });

  it('that changed something is unseen while the version before is shown', async () => {
    cache.show('a', versioned('a', 1));
    await unseen.carryOut(kube, 'key', [updateStatus(pod, aPod('a'))]);
    expect(unseen.waitMs('key')).toBeDefined();
    cache.show('a', versioned('a', 2));
    expect(unseen.waitMs('key')).toBeDefined();
    cache.show('a', versioned('a', 1000));
    expect(unseen.waitMs('key')).toBeUndefined();
  });

  it('is seen at once where the watch was faster', async () => {
    cache.show('a', versioned('a', 1000));
    await unseen.carryOut(kube, 'key', [create(pod, aPod('a')), updateStatus(pod, aPod('a'))]);
    expect(unseen.waitMs('key')).toBeUndefined();
  });

  it('that changed something is seen where that is gone', async () => {
    await unseen.carryOut(kube, 'key', [updateStatus(pod, aPod('a'))]);
    expect(unseen.waitMs('key')).toBeUndefined();
  });

  it('that deleted something is unseen until it goes', async () => {
    cache.show('a', versioned('a', 1));
    await unseen.carryOut(kube, 'key', [remove(pod, aPod('a'))]);
    cache.show('a', versioned('a', 2));
    expect(unseen.waitMs('key')).toBeDefined();
    cache.show('a', versioned('a', 3, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(unseen.waitMs('key')).toBeUndefined();
  });

  it('is not waited for without end', async () => {
    await unseen.carryOut(kube, 'key', [create(pod, aPod('a'))]);
    await clock.advance(59_000);
    expect(unseen.waitMs('key')).toBe(1000);
    await clock.advance(1000);
    expect(unseen.waitMs('key')).toBeUndefined();
  });
});
