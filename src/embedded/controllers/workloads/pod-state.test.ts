import { describe, expect, it } from 'vitest';
import { aPod, NOW_MS, type PodState } from '../../../../test/support/build-workloads.ts';
import {
  isActive,
  isAvailable,
  isReady,
  isTerminating,
  nextAvailableMs,
  untilAvailableMs,
} from './pod-state.ts';

describe('a pod', () => {
  it.each<[string, PodState, { active: boolean; terminating: boolean; ready: boolean }]>([
    ['that waits', {}, { active: true, terminating: false, ready: false }],
    ['that is ready', { readyFor: 1 }, { active: true, terminating: false, ready: true }],
    ['that leaves', { readyFor: 1, leaves: true }, { active: false, terminating: true, ready: true }],
    ['that succeeded', { phase: 'Succeeded' }, { active: false, terminating: false, ready: false }],
    [
      'that failed and leaves',
      { phase: 'Failed', leaves: true },
      { active: false, terminating: false, ready: false },
    ],
  ])('%s is classified', (_, state, expected) => {
    const pod = aPod('a', state);
    expect({ active: isActive(pod), terminating: isTerminating(pod), ready: isReady(pod) }).toEqual(expected);
  });

  it('without a status is active and not ready', () => {
    const { status: _, ...bare } = aPod('a', { readyFor: 1 });
    expect([isActive(bare), isReady(bare)]).toEqual([true, false]);
  });

  it.each([
    [{ readyFor: 10 }, 10, 0],
    [{ readyFor: 4 }, 10, 6000],
    [{ readyFor: 0 }, 0, 0],
    [{}, 0, Number.POSITIVE_INFINITY],
  ])('%j is available after %i seconds in %i ms', (state, minReadySeconds, waitMs) => {
    expect(untilAvailableMs(aPod('a', state), { minReadySeconds, nowMs: NOW_MS })).toBe(waitMs);
  });

  it('without a ready time is not available with minReadySeconds', () => {
    const pod = aPod('a', { readyFor: 1 });
    const vague = { ...pod, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(isAvailable(vague, { minReadySeconds: 5, nowMs: NOW_MS })).toBe(false);
    expect(isAvailable(vague, { minReadySeconds: 0, nowMs: NOW_MS })).toBe(true);
  });

  it('is waited for until the first of several is available', () => {
    const pods = [
      aPod('a', { readyFor: 2 }),
      aPod('b', { readyFor: 7 }),
      aPod('c', { readyFor: 60 }),
      aPod('d'),
    ];
    expect(nextAvailableMs(pods, { minReadySeconds: 10, nowMs: NOW_MS })).toBe(3000);
    expect(nextAvailableMs([aPod('d')], { minReadySeconds: 10, nowMs: NOW_MS })).toBeUndefined();
  });
});
