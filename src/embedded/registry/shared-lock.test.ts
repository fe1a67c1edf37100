import { describe, expect, it } from 'vitest';
import { SharedLock } from './shared-lock.ts';

/** Work that records its begin and end, and ends on request. */
function setUp() {
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    events.push(`${name} ends`);
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { lock: new SharedLock(), events, work, end, settle };
}

describe('SharedLock', () => {
  it('allows concurrent shared holders', async () => {
    const { lock, events, work, end, settle } = setUp();
    const all = [lock.shared(work('a')), lock.shared(work('b'))];
    await settle();
    expect(events).toEqual(['a begins', 'b begins']);
    await end('b');
    await end('a');
    await Promise.all(all);
  });

  it('gives an exclusive holder its turn in order', async () => {
    const { lock, events, work, end, settle } = setUp();
    const all = [lock.shared(work('a'))];
    await settle();
    all.push(lock.exclusive(work('x')), lock.exclusive(work('y')), lock.shared(work('b')));
    await settle();
    expect(events).toEqual(['a begins']);
    for (const name of ['a', 'x', 'y', 'b']) await end(name);
    await Promise.all(all);
    expect(events).toEqual([
      'a begins',
      'a ends',
      'x begins',
      'x ends',
      'y begins',
      'y ends',
      'b begins',
      'b ends',
    ]);
  });

  it('continues after a failed holder', async () => {
    const { lock } = setUp();
    const fail = () => Promise.reject(new Error('no'));
    await expect(lock.shared(fail)).rejects.toThrow('no');
    await expect(lock.exclusive(fail)).rejects.toThrow('no');
    expect(await lock.shared(async () => 1)).toBe(1);
    expect(await lock.exclusive(async () => 2)).toBe(2);
  });
});
