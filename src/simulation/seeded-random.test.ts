import { describe, expect, it } from 'vitest';
import { between, isHit, pick, randomOf, seededRandom, shuffled } from './seeded-random.ts';

const draws = (random: ReturnType<typeof seededRandom>) => Array.from({ length: 20 }, () => random.next());

describe('randomness of a part of a simulation', () => {
  it('is the same for the same seed and part', () => {
    expect(draws(randomOf(7, 'network', 'worker-0'))).toEqual(draws(randomOf(7, 'network', 'worker-0')));
  });

  it.each([
    ['another seed', randomOf(8, 'network', 'worker-0')],
    ['another part', randomOf(7, 'network', 'worker-1')],
    ['parts that are cut elsewhere', randomOf(7, 'networkworker-0')],
  ])('is another one for %s', (_, other) => {
    expect(draws(other)).not.toEqual(draws(randomOf(7, 'network', 'worker-0')));
  });

  it('is spread over neighbouring seeds', () => {
    const firsts = Array.from({ length: 200 }, (_, seed) => randomOf(seed, 'scenario').next());
    expect(new Set(firsts).size).toBe(200);
    expect(firsts.filter((first) => first < 0.5).length).toBeGreaterThan(70);
    expect(firsts.filter((first) => first < 0.5).length).toBeLessThan(130);
  });
});

describe('drawing', () => {
  it('gives whole numbers of a range, with both ends', () => {
    const random = seededRandom(1);
    const seen = new Set(Array.from({ length: 200 }, () => between(random, [3, 6])));
    expect([...seen].sort()).toEqual([3, 4, 5, 6]);
  });

  it('hits with the given probability', () => {
    const random = seededRandom(2);
    const hits = Array.from({ length: 1_000 }, () => isHit(random, 0.3)).filter(Boolean).length;
    expect(hits).toBeGreaterThan(230);
    expect(hits).toBeLessThan(370);
    expect([isHit(random, 0), isHit(random, 1)]).toEqual([false, true]);
  });

  it('picks each of several, and nothing of nothing', () => {
    const random = seededRandom(3);
    const seen = new Set(Array.from({ length: 100 }, () => pick(random, ['a', 'b', 'c'] as const)));
    expect([...seen].sort()).toEqual(['a', 'b', 'c']);
    const none: readonly string[] = [];
    expect(pick(random, none)).toBeUndefined();
  });

  it('shuffles without losing anything', () => {
    const from = Array.from({ length: 10 }, (_, index) => index);
    const other = shuffled(seededRandom(4), from);
    expect(other).not.toEqual(from);
    expect(other.toSorted((a, b) => a - b)).toEqual(from);
  });
});
