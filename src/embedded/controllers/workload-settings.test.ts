import { describe, expect, it } from 'vitest';
import { workloadSettings } from './workload-settings.ts';

describe('a faster cluster', () => {
  it('waits less for what it simulates, and not less for its server', () => {
    const [usual, fast] = [
      workloadSettings({ authorityPem: '' }),
      workloadSettings({ authorityPem: '', speed: 10 }),
    ];
    expect(fast.jobBackoffMs).toBe(usual.jobBackoffMs / 10);
    expect(fast.evictionLimitMs).toBe(usual.evictionLimitMs / 10);
    expect(fast.unseenLimitMs).toBe(usual.unseenLimitMs);
  });
});
