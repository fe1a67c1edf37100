import { describe, expect, it } from 'vitest';
import { freeShare, nextWaiter, seatsFor } from './fair-share.ts';

describe('freeShare', () => {
  it.each([
    ['a user without seats gets all that are free', { limit: 10, taken: 8, own: 0 }, 2],
    ['no seats are free above the limit', { limit: 10, taken: 12, own: 0 }, 0],
    ['a single user gets half of the limit', { limit: 10, taken: 4, own: 4 }, 1],
    ['a single user gets no more than half', { limit: 10, taken: 5, own: 5 }, 0],
    ['two users get a third each', { limit: 9, taken: 6, own: 3 }, 0],
    ['a user with more seats than are free gets none', { limit: 10, taken: 9, own: 7 }, 0],
  ])('%s', (_, share, free) => {
    expect(freeShare(share)).toBe(free);
  });

  it('leaves a share for each further user', () => {
    const limit = 128;
    let taken = 0;
    for (let user = 0; user < 60; user++) {
      let own = 0;
      while (freeShare({ limit, taken, own }) >= 1) {
        own++;
        taken++;
      }
      expect(own).toBeGreaterThan(user < 7 ? 0 : -1);
      expect(limit - taken).toBeGreaterThanOrEqual(own - 1);
    }
    expect(taken).toBeLessThanOrEqual(limit);
  });
});

describe('nextWaiter', () => {
  const waiter = (name: string, own: number, servedAt: number, width = 1) => ({ name, own, servedAt, width });
  it.each([
    ['is the user with the fewest seats', [waiter('a', 2, 0), waiter('b', 1, 9)], 'b'],
    ['is the least recently served of users with equal seats', [waiter('a', 1, 5), waiter('b', 1, 4)], 'b'],
    ['skips a request that needs more than is free', [waiter('a', 0, 0, 9), waiter('b', 1, 9)], 'b'],
    ['is undefined if no user has a share left', [waiter('a', 5, 0)], undefined],
  ])('%s', (_, waiters, name) => {
    expect(nextWaiter(waiters, { limit: 10, taken: 5 })?.name).toBe(name);
  });
});

describe('seatsFor', () => {
  it.each([
    [0, 1],
    [100, 1],
    [101, 2],
    [1_000_000, 8],
  ])('takes %i bytes as %i seats', (bytes, seats) => {
    expect(seatsFor(bytes, { bytesPerSeat: 100, limit: 16 })).toBe(seats);
  });
});
