import { describe, expect, it } from 'vitest';
import { SourceLimiter } from './source-limiter.ts';

const admitted = (limiter: SourceLimiter, source: string, nowMs: number, count: number) =>
  Array.from({ length: count }, () => limiter.admit(source, nowMs)).filter(Boolean).length;

describe('SourceLimiter', () => {
  it('admits a burst, then so many per second', () => {
    const limiter = new SourceLimiter({ burst: 10, perSecond: 2 });
    expect(admitted(limiter, '10.0.0.1', 0, 50)).toBe(10);
    expect(admitted(limiter, '10.0.0.1', 1_000, 50)).toBe(2);
    expect(admitted(limiter, '10.0.0.1', 60_000, 50)).toBe(10);
  });

  it('counts each source by itself, and a network of IPv6 as one', () => {
    const limiter = new SourceLimiter({ burst: 3, perSecond: 1 });
    expect(admitted(limiter, '10.0.0.1', 0, 9)).toBe(3);
    expect(admitted(limiter, '10.0.0.2', 0, 9)).toBe(3);
    expect(admitted(limiter, 'fd00::1', 0, 9)).toBe(3);
    expect(admitted(limiter, 'fd00::2', 0, 9)).toBe(0);
    expect(admitted(limiter, 'fd00:0:0:1::2', 0, 9)).toBe(3);
  });

  it('stays bounded however many sources there are, and gives each new one less', () => {
    const limiter = new SourceLimiter({ burst: 3, perSecond: 1 });
    for (let index = 0; index < 5_000; index++) limiter.admit(`s${index}`, 0);
    expect(admitted(limiter, 'new', 0, 9)).toBe(1);
  });
});
