import { describe, expect, it } from 'vitest';
import { workloadSettings } from './workload-settings.ts';

describe('workloadSettings with a speed', () => {
  it('divides simulated durations only', () => {
    const [usual, fast] = [
      workloadSettings({ authorityPem: '' }),
      workloadSettings({ authorityPem: '', speed: 10 }),
    ];
    expect(fast.jobBackoffMs).toBe(usual.jobBackoffMs / 10);
    expect(fast.evictionLimitMs).toBe(usual.evictionLimitMs / 10);
    expect(fast.expectationTimeoutMs).toBe(usual.expectationTimeoutMs);
  });
});
