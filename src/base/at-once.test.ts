import { describe, expect, it } from 'vitest';
import { forEachAtOnce } from './at-once.ts';

/** Calls that settle when the test says so. */
function calls() {
  const started: number[] = [];
  const settle = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  const act = (item: number) => {
    started.push(item);
    return new Promise<void>((resolve, reject) => settle.set(item, { resolve, reject }));
  };
  return { started, settle, act };
}
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('forEachAtOnce', () => {
  it('starts as many calls as allowed, in order, and the next one when one has ended', async () => {
    const { started, settle, act } = calls();
    const ended = forEachAtOnce([1, 2, 3, 4], 2, act);
    expect(started).toEqual([1, 2]);
    settle.get(2)?.resolve();
    await soon();
    expect(started).toEqual([1, 2, 3]);
    settle.get(1)?.resolve();
    await soon();
    expect(started).toEqual([1, 2, 3, 4]);
    for (const { resolve } of settle.values()) resolve();
    await ended;
  });

  it('starts no further call after a failure, and waits for those under way', async () => {
    const { started, settle, act } = calls();
    let isOver = false;
    const ended = forEachAtOnce([1, 2, 3, 4], 2, act).finally(() => {
      isOver = true;
    });
    ended.catch(() => undefined);
    settle.get(1)?.reject(new Error('first'));
    await soon();
    expect([started, isOver]).toEqual([[1, 2], false]);
    settle.get(2)?.reject(new Error('second'));
    await expect(ended).rejects.toThrow('first');
    expect(started).toEqual([1, 2]);
  });

  it('resolves at once without items', async () => {
    await forEachAtOnce([], 3, () => Promise.reject(new Error('called')));
  });
});
