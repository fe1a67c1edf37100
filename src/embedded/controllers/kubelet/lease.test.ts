import { describe, expect, it } from 'vitest';
import { leaseDueMs, renewal } from './lease.ts';

describe('a lease', () => {
  it('is renewed with a time to the microsecond', () => {
    const settings = { leaseDurationSeconds: 40 };
    expect(renewal('a', { nowMs: 1_767_225_600_007, settings })).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 40,
      renewTime: '2026-01-01T00:00:00.007000Z',
    });
  });

  it('is due once per interval, with an offset per node', () => {
    const everyMs = 10_000;
    const due = (name: string, nowMs: number) => leaseDueMs(name, { nowMs, everyMs });
    for (const name of ['a', 'b', 'worker-17']) {
      const first = due(name, 1_000_000);
      expect(first).toBeGreaterThan(990_000);
      expect(first).toBeLessThanOrEqual(1_000_000);
      expect([due(name, first), due(name, first - 1), due(name, first + everyMs)]).toEqual([
        first,
        first - everyMs,
        first + everyMs,
      ]);
    }
    const offsets = Array.from({ length: 1000 }, (_, index) => due(`node-${index}`, 1_000_000) % everyMs);
    const inFirstTenth = offsets.filter((offset) => offset < everyMs / 10).length;
    expect(inFirstTenth).toBeGreaterThan(50);
    expect(inFirstTenth).toBeLessThan(200);
  });
});
