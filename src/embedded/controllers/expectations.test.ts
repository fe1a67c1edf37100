import { beforeEach, describe, expect, it } from 'vitest';
import { aPod } from '../../../test/support/build-workloads.ts';
import type { Cache, Change, Kube, Next, ObjectKey } from '../../kubernetes/client/index.ts';
import { type Pod, pod } from '../../kubernetes/types/index.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { Expectations } from './expectations.ts';
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

/** A server that accepts every write and increments the version. */
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

const waiting = (delayMs: number): Next => ({
  kind: 'after',
  delayMs,
  why: 'own writes are not observed yet',
});

describe('Expectations', () => {
  let clock: VirtualClock;
  let cache: ControlledCache;
  let expectations: Expectations;
  // No other method is called.
  const kube = aServer() as Kube;

  beforeEach(() => {
    clock = new VirtualClock();
    cache = new ControlledCache();
    expectations = new Expectations({ clock, timeoutMs: 60_000 });
    expectations.track(pod, cache);
  });

  it('waits for a created object until the cache shows it', async () => {
    await expectations.carryOut(kube, 'key', [create(pod, aPod('a'))]);
    expect(expectations.pending('key')).toEqual(waiting(60_000));
    expect(expectations.pending('another')).toBeUndefined();
    cache.show('a', versioned('a', 99));
    expect(expectations.pending('key')).toBeUndefined();
  });

  it('does not wait for a created object that was deleted meanwhile', async () => {
    await expectations.carryOut(kube, 'key', [create(pod, aPod('a'))]);
    cache.show('a', versioned('a', 1));
    expect(expectations.pending('key')).toBeDefined();
    cache.show('a', undefined);
    expect(expectations.pending('key')).toBeUndefined();
  });

  it('waits for an update while the cache shows an older version', async () => {
    cache.show('a', versioned('a', 1));
    await expectations.carryOut(kube, 'key', [updateStatus(pod, aPod('a'))]);
    expect(expectations.pending('key')).toBeDefined();
    cache.show('a', versioned('a', 2));
    expect(expectations.pending('key')).toBeDefined();
    cache.show('a', versioned('a', 1000));
    expect(expectations.pending('key')).toBeUndefined();
  });

  it('does not wait if the watch was faster than the response', async () => {
    cache.show('a', versioned('a', 1000));
    await expectations.carryOut(kube, 'key', [create(pod, aPod('a')), updateStatus(pod, aPod('a'))]);
    expect(expectations.pending('key')).toBeUndefined();
  });

  it('does not wait for an update of an object that was deleted meanwhile', async () => {
    await expectations.carryOut(kube, 'key', [updateStatus(pod, aPod('a'))]);
    expect(expectations.pending('key')).toBeUndefined();
  });

  it('waits for a deletion until the cache shows the object as terminating', async () => {
    cache.show('a', versioned('a', 1));
    await expectations.carryOut(kube, 'key', [remove(pod, aPod('a'))]);
    cache.show('a', versioned('a', 2));
    expect(expectations.pending('key')).toBeDefined();
    cache.show('a', versioned('a', 3, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(expectations.pending('key')).toBeUndefined();
  });

  it('stops waiting after the timeout', async () => {
    await expectations.carryOut(kube, 'key', [create(pod, aPod('a'))]);
    await clock.advance(59_000);
    expect(expectations.pending('key')).toEqual(waiting(1000));
    await clock.advance(1000);
    expect(expectations.pending('key')).toBeUndefined();
  });
});
