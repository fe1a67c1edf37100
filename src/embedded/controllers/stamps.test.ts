import { describe, expect, it } from 'vitest';
import { NOW_MS } from '../../../test/build-workloads.ts';
import { msOf, stampOf } from './stamps.ts';

describe('a stamp', () => {
  it('is in whole seconds, rounded down', () => {
    expect(stampOf(NOW_MS + 1999)).toBe('2026-01-01T00:00:01Z');
  });

  it('reads as the time it was made from', () => {
    expect(msOf(stampOf(NOW_MS))).toBe(NOW_MS);
  });

  it.each([undefined, null, '', 'yesterday'])('is nothing where it is %j', (stamp) => {
    expect(msOf(stamp)).toBeUndefined();
  });
});
