import { describe, expect, it } from 'vitest';
import { lazily, memoized, memoizedByItems } from './memoized.ts';

describe('memoized', () => {
  it('computes once per key, also if the result is undefined', () => {
    const seen: object[] = [];
    const compute = memoized((key: object) => {
      seen.push(key);
      return undefined;
    });
    const [a, b] = [{}, {}];
    compute(a);
    compute(b);
    compute(a);
    expect(seen).toEqual([a, b]);
  });

  it('does not compute before the first use', () => {
    let times = 0;
    const value = lazily(() => ++times);
    expect(times).toBe(0);
    expect([value(), value()]).toEqual([1, 1]);
  });
});

describe('memoizedByItems', () => {
  const [a, b, c] = [{}, {}, {}];
  const fresh = () => {
    let times = 0;
    return memoizedByItems((_items: readonly object[]) => ++times);
  };

  it.each([
    ['another list of the same items', [a, b], [a, b], 1],
    ['another order', [a, b], [b, a], 2],
    ['one item more', [a, b], [a, b, c], 2],
    ['another last item', [a, b], [a, c], 2],
    ['no items at all', [], [], 2],
  ])('recognises %s', (_what, first, second, times) => {
    const compute = fresh();
    compute(first);
    expect(compute(second)).toBe(times);
  });
});
