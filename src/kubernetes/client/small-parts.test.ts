/** Small parts of the client. */
import { describe, expect, it } from 'vitest';
import { delayAfter } from '../../base/waiting.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { RecentMap } from './recent-map.ts';
import { TokenBucket } from './token-bucket.ts';
import { isOlder } from './versions.ts';

it.each<[string, string, boolean]>([
  ['9', '10', true],
  ['10', '9', false],
  ['10', '10', false],
  ['0', '1', true],
  ['9007199254740993', '9007199254740994', true],
  ['', '5', false],
  ['5', '', false],
  ['abc', 'abd', false],
  ['007', '8', false],
])('isOlder(%j, %j) is %j', (a, b, expected) => {
  expect(isOlder(a, b)).toBe(expected);
});

describe('delayAfter', () => {
  it('grows to its cap, with jitter', () => {
    const ladder = { baseMs: 100, factor: 3, capMs: 1_000, jitter: 0.5 };
    const delays = (draw: number) =>
      [0, 1, 2, 3, 5_000].map((failures) =>
        delayAfter(ladder, failures, { next: () => draw, uuid: () => '' }),
      );
    expect(delays(0)).toEqual([100, 300, 900, 1_000, 1_000]);
    expect(delays(0.5)).toEqual([75, 225, 675, 750, 750]);
  });
});

describe('a token bucket', () => {
  it('holds no more than its burst, and refills over time', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ perSecond: 2, burst: 3 }, clock);
    const take = () => Array.from({ length: 5 }, () => bucket.tryTake());
    expect(take()).toEqual([true, true, true, false, false]);
    await clock.advance(1_000);
    expect(take()).toEqual([true, true, false, false, false]);
    await clock.advance(60_000);
    expect(take()).toEqual([true, true, true, false, false]);
    expect([bucket.reserve(), bucket.reserve()]).toEqual([500, 1_000]);
  });
});

it('an LRU map evicts the least recently used entry', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
});
