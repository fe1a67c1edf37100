import { describe, expect, it } from 'vitest';
import { AnswerCache } from './answer-cache.ts';

function counting() {
  const cache = new AnswerCache<number>();
  let made = 0;
  const ask = (key: string, nowMs = 0) => cache.get(key, nowMs, async () => ++made);
  return { ask, cache, made: () => made };
}

describe('AnswerCache', () => {
  it('makes an answer once for all that ask at the same time', async () => {
    const { ask, made } = counting();
    expect(await Promise.all([ask('a'), ask('a'), ask('b'), ask('a')])).toEqual([1, 1, 2, 1]);
    expect(made()).toBe(2);
  });

  it('makes it again after a minute', async () => {
    const { ask } = counting();
    expect([await ask('a', 0), await ask('a', 59_000), await ask('a', 61_000)]).toEqual([1, 1, 2]);
  });

  it('forgets the least recently used', async () => {
    const { ask } = counting();
    for (let index = 0; index < 24; index++) await ask(`k${index}`);
    expect(await ask('k0')).toBe(1);
    await ask('other');
    expect(await ask('k0')).toBe(1);
    expect(await ask('k1')).toBe(26);
  });

  it('does not keep a failure', async () => {
    const cache = new AnswerCache<number>();
    await expect(cache.get('a', 0, () => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
    expect(await cache.get('a', 0, async () => 7)).toBe(7);
  });
});
