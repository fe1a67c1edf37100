import { describe, expect, it } from 'vitest';
import { aPod, NOW_MS } from '../../../../test/support/build-workloads.ts';
import type { Pod } from '../../../kubernetes/types/index.ts';
import { podsToRemove } from './pods-to-remove.ts';

/** The names in the order in which they go. */
function order(pods: readonly Pod[], related: readonly Pod[] = []): readonly string[] {
  return podsToRemove({ pods, count: pods.length, related, nowMs: NOW_MS }).map(
    ({ metadata }) => metadata.name,
  );
}

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const steady = { readyFor: 3600, age: 3600 } as const;

describe('pods to remove', () => {
  it('are at most as many as requested', () => {
    const pods = [aPod('a'), aPod('b'), aPod('c')];
    expect(podsToRemove({ pods, count: 2, related: [], nowMs: NOW_MS })).toHaveLength(2);
    expect(podsToRemove({ pods, count: 0, related: [], nowMs: NOW_MS })).toEqual([]);
  });

  it('are ranked by value', () => {
    const pods = [
      aPod('steady', { ...steady, node: 'n1' }),
      aPod('crowded', { ...steady, node: 'n2' }),
      aPod('cheap', { ...steady, node: 'n1' }, { annotations: { [COST]: '-1' } }),
      aPod('unready', { phase: 'Running', node: 'n1' }),
      aPod('pending', { node: 'n1' }),
      aPod('unplaced'),
    ];
    const related = [
      ...pods,
      aPod('x', { node: 'n2' }),
      aPod('y', { node: 'n2' }),
      aPod('z', { node: 'n2' }),
    ];
    const more = [...related, aPod('v', { node: 'n2' }), aPod('w', { node: 'n2' })];
    expect(order(pods, more)).toEqual(['unplaced', 'pending', 'unready', 'cheap', 'crowded', 'steady']);
  });

  it('are ranked by restarts as a tie-breaker', () => {
    const pods = [
      aPod('calm', { ...steady, node: 'n' }),
      aPod('restarted', { ...steady, node: 'n', restarts: 3 }),
    ];
    expect(order(pods)).toEqual(['restarted', 'calm']);
  });

  it('are the newer ones if much newer', () => {
    const pods = [
      aPod('old', { readyFor: 100_000, age: 100_000, node: 'n' }),
      aPod('young', { readyFor: 10, age: 10, node: 'n' }),
    ];
    expect(order(pods)).toEqual(['young', 'old']);
    const unready = [aPod('old', { age: 100_000 }), aPod('young', { age: 10 })];
    expect(order(unready)).toEqual(['young', 'old']);
  });

  it('do not depend on small differences of age', () => {
    const pods = [
      aPod('a', { readyFor: 3000, age: 3000, node: 'n' }, { uid: '1' }),
      aPod('b', { readyFor: 3001, age: 3001, node: 'n' }, { uid: '2' }),
    ];
    const swapped = [
      aPod('a', { readyFor: 3001, age: 3001, node: 'n' }, { uid: '1' }),
      aPod('b', { readyFor: 3000, age: 3000, node: 'n' }, { uid: '2' }),
    ];
    expect(order(pods)).toEqual(order(swapped));
  });

  it('ignore a malformed deletion cost', () => {
    const pods = [
      aPod('a', { ...steady, node: 'n' }, { annotations: { [COST]: 'cheap' }, uid: '2' }),
      aPod('b', { ...steady, node: 'n' }, { annotations: { [COST]: '-1' }, uid: '1' }),
    ];
    expect(order(pods)).toEqual(['b', 'a']);
  });

  it('are ranked independently of the input order', () => {
    const pods = ['a', 'b', 'c', 'd'].map((name) => aPod(name, { ...steady, node: 'n' }));
    expect(order(pods.toReversed())).toEqual(order(pods));
  });
});
