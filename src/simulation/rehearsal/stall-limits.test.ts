import { describe, expect, it } from 'vitest';
import { LENGTH_LIMIT_MS, MINUTE_MS, QUIET_MS, STALL_MS } from './rehearsal-limits.ts';
import { faultsEndMs, lengthLimitMs, stallLimitMs } from './stall-limits.ts';

const aMachine = (minutes: number) => ({
  ...{ bootMs: minutes * MINUTE_MS, shutDownMs: 1_000, pullMs: 2_000, stageMs: 3_000 },
});

describe('the stall limit of a rehearsal', () => {
  it('outlasts an update of the slowest node', () => {
    const limitMs = stallLimitMs([aMachine(3), aMachine(70), aMachine(5)]);
    expect(limitMs).toBe(STALL_MS + QUIET_MS + 70 * MINUTE_MS + 6_000);
    expect(stallLimitMs([])).toBe(STALL_MS + QUIET_MS);
  });

  it('suffices for one node after the other, and for faults that end', () => {
    const limitMs = lengthLimitMs([aMachine(3), aMachine(70)], [{ kind: 'registry-down', ms: MINUTE_MS }]);
    expect(limitMs).toBe(LENGTH_LIMIT_MS + 74 * MINUTE_MS + 12_000);
  });

  it('begins when the last fault has ended: the registry from the change on, the controllers from their end on', () => {
    const registry = { kind: 'registry-down', ms: 10 * MINUTE_MS } as const;
    const crash = { kind: 'controller-crash', ms: 9 * MINUTE_MS } as const;
    expect(faultsEndMs([registry, crash], undefined)).toBe(10 * MINUTE_MS);
    expect(faultsEndMs([registry, crash], 2 * MINUTE_MS)).toBe(11 * MINUTE_MS);
    expect(faultsEndMs([{ kind: 'controller-crash' }], 2 * MINUTE_MS)).toBe(2 * MINUTE_MS);
    expect(faultsEndMs([{ kind: 'node-lost', node: 'worker-0' }], undefined)).toBe(0);
  });
});
