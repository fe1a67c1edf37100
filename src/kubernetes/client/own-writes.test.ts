import { beforeEach, describe, expect, it } from 'vitest';
import type { AnyObject, Cache, Change, ObjectKey } from './kube.ts';
import { OwnWrites } from './own-writes.ts';

/** A cache whose contents the test sets. */
class ScriptedCache implements Cache<AnyObject> {
  readonly synced = Promise.resolve();
  readonly #objects = new Map<string, AnyObject>();
  readonly #listeners: ((change: Change<AnyObject>) => void)[] = [];

  set(name: string, after: AnyObject | undefined): void {
    const before = this.#objects.get(name);
    if (after === undefined) this.#objects.delete(name);
    else this.#objects.set(name, after);
    for (const listener of this.#listeners) listener({ before, after });
  }

  get({ name }: ObjectKey): AnyObject | undefined {
    return this.#objects.get(name);
  }

  all(): Iterable<AnyObject> {
    return this.#objects.values();
  }

  by(): readonly AnyObject[] {
    return [];
  }

  onChange(listener: (change: Change<AnyObject>) => void): void {
    this.#listeners.push(listener);
  }
}

const A = { name: 'a' };
const version = (resourceVersion: string, more: Partial<AnyObject['metadata']> = {}): AnyObject => ({
  metadata: { name: 'a', uid: '1', resourceVersion, ...more },
});

let cache: ScriptedCache;
let writes: OwnWrites<AnyObject>;

beforeEach(() => {
  cache = new ScriptedCache();
  cache.set('a', version('9'));
  writes = new OwnWrites(cache);
});

describe('a recorded write', () => {
  it('is read instead of the cached object until the cache has caught up', () => {
    const written = version('11');
    expect(writes.record(written)).toBe(true);
    expect([writes.get(A), [...writes.all()], writes.isPending(A)]).toEqual([written, [written], true]);
    cache.set('a', version('10'));
    expect(writes.get(A)).toBe(written);
    const later = version('12');
    cache.set('a', later);
    expect([writes.get(A), writes.isPending(A)]).toEqual([later, false]);
  });

  it('is ignored if the watch was faster than the response', () => {
    cache.set('a', version('20'));
    expect(writes.record(version('11'))).toBe(false);
    expect(writes.get(A)).toEqual(version('20'));
  });

  it('is not replaced by a late response of a read', () => {
    const written = version('12');
    writes.record(written);
    expect(writes.record(version('11'))).toBe(false);
    expect(writes.get(A)).toBe(written);
  });

  it('is forgotten with its object', () => {
    writes.record(version('11'));
    cache.set('a', undefined);
    expect([writes.get(A), writes.isPending(A)]).toEqual([undefined, false]);
  });

  it('does not bring back an object whose deletion arrived before the answer', () => {
    cache.set('a', undefined);
    expect(writes.record(version('11'))).toBe(false);
    expect(writes.get(A)).toBeUndefined();
  });

  it('does not hide another object of the same name', () => {
    writes.record(version('11'));
    const other = version('30', { uid: '2' });
    cache.set('a', other);
    expect(writes.get(A)).toBe(other);
    expect(writes.isPending(A, '1')).toBe(false);
  });

  it('is pending for a new object until the cache has it', () => {
    cache.set('a', undefined);
    expect(writes.record(version('11'), { isCreated: true })).toBe(true);
    cache.set('a', version('11'));
    expect(writes.isPending(A)).toBe(false);
  });

  it('ends with the next change where versions cannot be compared', () => {
    cache.set('a', version('x'));
    expect(writes.record(version('y'))).toBe(true);
    cache.set('a', version('z'));
    expect(writes.isPending(A)).toBe(false);
  });
});

it('a recorded deletion is pending until the cache shows the object as terminating', () => {
  expect(writes.recordDeletion(version('9'))).toBe(true);
  cache.set('a', version('10'));
  expect(writes.isPending(A, '1')).toBe(true);
  cache.set('a', version('11', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  expect(writes.isPending(A)).toBe(false);
});

describe('an unconfirmed write', () => {
  it('stays unconfirmed, whatever the cache shows, until it is read from the server', async () => {
    writes.markUnconfirmed(A);
    cache.set('a', version('50'));
    expect([writes.isUnconfirmed(A), writes.unconfirmed()]).toEqual([true, [A]]);
    const found = version('51');
    const pending: unknown[] = [];
    await writes.confirm(
      async () => found,
      (object) => pending.push(object),
    );
    expect(pending).toEqual([found]);
    expect([writes.unconfirmed(), writes.get(A)]).toEqual([[], found]);
  });

  it.each<[string, () => unknown]>([
    ['an answer', () => writes.record(version('11'))],
    ['a definite refusal', () => writes.forget(A)],
    ['the end of the object', () => cache.set('a', undefined)],
    ['a read that finds nothing', () => writes.confirm(async () => undefined)],
  ])('is settled by %s', async (_, settle) => {
    writes.markUnconfirmed(A);
    await settle();
    expect(writes.unconfirmed()).toEqual([]);
  });

  it('stays unconfirmed if the server cannot be reached', async () => {
    writes.markUnconfirmed(A);
    const failing = writes.confirm(() => Promise.reject(new Error('no route')));
    await expect(failing).rejects.toThrow('no route');
    expect(writes.isUnconfirmed(A)).toBe(true);
  });

  it('is reported as pending once it is confirmed, although the read of another one fails', async () => {
    const B = { name: 'b' };
    for (const place of [A, B]) writes.markUnconfirmed(place);
    const found = version('51');
    const pending: unknown[] = [];
    const failing = writes.confirm(
      async ({ name }) => {
        if (name === 'b') throw new Error('no route');
        return found;
      },
      (object) => pending.push(object),
    );
    await expect(failing).rejects.toThrow('no route');
    expect([pending, writes.unconfirmed()]).toEqual([[found], [B]]);
  });
});
