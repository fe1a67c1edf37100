import { describe, expect, it } from 'vitest';
import { aBudget, ago, aPod, NOW_MS } from '../../../../test/support/build-workloads.ts';
import type { Pod, PodDisruptionBudget } from '../../../kubernetes/types/index.ts';
import { decideDisruptionBudget, type Scale } from './decide-disruption-budget.ts';

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-web', controller: true };
const owned = (name: string, isReady = true, given = {}): Pod =>
  aPod(name, isReady ? { readyFor: 9 } : {}, { ownerReferences: [owner], ...given });
const wants = (replicas: number) => (): Scale => ({ kind: 'known', uid: 'uid-web', replicas });

function decide(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  scaleOf: (pod: Pod) => Scale = wants(pods.length),
) {
  return decideDisruptionBudget({ budget, pods, scaleOf, nowMs: NOW_MS, evictionLimitMs: 120_000 });
}

describe('a disruption budget', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((name) => owned(name));
  it.each<[string, PodDisruptionBudget['spec'], readonly Pod[], number, readonly number[]]>([
    // [allowed, healthy, desired, expected]
    ['minAvailable as a number', { minAvailable: 2 }, five, 9, [3, 5, 2, 5]],
    ['minAvailable above the number of pods', { minAvailable: 7 }, five, 9, [0, 5, 7, 5]],
    ['minAvailable as a percentage, rounded up', { minAvailable: '50%' }, five, 5, [2, 5, 3, 5]],
    [
      'minAvailable as a percentage of the scale, not of the pods',
      { minAvailable: '50%' },
      five,
      10,
      [0, 5, 5, 10],
    ],
    ['maxUnavailable as a number', { maxUnavailable: 2 }, five, 5, [2, 5, 3, 5]],
    ['maxUnavailable with as many pods unavailable', { maxUnavailable: 2 }, five, 7, [0, 5, 5, 7]],
    ['maxUnavailable as a percentage, rounded up', { maxUnavailable: '30%' }, five, 5, [2, 5, 3, 5]],
    ['maxUnavailable above the number of pods', { maxUnavailable: 9 }, five, 5, [5, 5, 0, 5]],
    ['neither field', {}, five, 5, [5, 5, 0, 5]],
    ['no pods', { minAvailable: 0 }, [], 0, [0, 0, 0, 0]],
    ['unready pods', { minAvailable: 1 }, [owned('a'), owned('b', false)], 2, [0, 1, 1, 2]],
    [
      'terminating pods',
      { minAvailable: 1 },
      [owned('a'), owned('b', true, { deletionTimestamp: ago(1) })],
      2,
      [0, 1, 1, 2],
    ],
    ['pods without a controller', { maxUnavailable: 1 }, [aPod('a', { readyFor: 1 })], 0, [0, 1, 0, 0]],
  ])('has a status: %s', (_, spec, pods, wanted, expected) => {
    const { status } = decide(aBudget(spec), pods, wants(wanted));
    expect([
      status.disruptionsAllowed,
      status.currentHealthy,
      status.desiredHealthy,
      status.expectedPods,
    ]).toEqual(expected);
  });

  it('counts the scale of a controller once', () => {
    const other = (name: string) => owned(name, true, { ownerReferences: [{ ...owner, uid: 'uid-other' }] });
    const scaleOf = (pod: Pod): Scale => {
      const uid = pod.metadata.ownerReferences?.[0]?.uid ?? '';
      return { kind: 'known', uid, replicas: uid === 'uid-web' ? 3 : 2 };
    };
    const pods = [owned('a'), owned('b'), other('c'), other('d')];
    expect(decide(aBudget({ maxUnavailable: 1 }), pods, scaleOf).status.expectedPods).toBe(5);
  });

  it('allows nothing if the scale is unknown, and reports why', () => {
    const before = {
      disruptionsAllowed: 3,
      currentHealthy: 4,
      desiredHealthy: 1,
      expectedPods: 4,
      observedGeneration: 1,
    };
    const { status } = decide(aBudget({ maxUnavailable: 1 }, before), [owned('a')], () => ({
      kind: 'unknown',
      why: 'found no controllers for pod "a"',
    }));
    expect(status).toEqual({
      ...before,
      disruptionsAllowed: 0,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          reason: 'SyncFailed',
          message: 'found no controllers for pod "a"',
          observedGeneration: 1,
          lastTransitionTime: ago(0),
        },
      ],
    });
  });

  it('keeps the transition time of its condition', () => {
    const first = decide(aBudget({ minAvailable: 1 }), [owned('a'), owned('b')]).status;
    expect(first.conditions).toEqual([
      {
        type: 'DisruptionAllowed',
        status: 'True',
        reason: 'SufficientPods',
        message: '',
        observedGeneration: 1,
        lastTransitionTime: ago(0),
      },
    ]);
    const later = decideDisruptionBudget({
      budget: aBudget({ minAvailable: 1 }, first),
      pods: [owned('a'), owned('b')],
      scaleOf: wants(2),
      nowMs: NOW_MS + 60_000,
      evictionLimitMs: 1,
    });
    expect(later.status).toEqual(first);
  });

  it('does not count disrupted pods until they time out', () => {
    const disruptedPods = { a: ago(60), b: ago(121), c: ago(1), gone: ago(1) };
    const pods = [owned('a'), owned('b'), owned('c', true, { deletionTimestamp: ago(1) }), owned('d')];
    const { status, lookAgainMs } = decide(aBudget({ minAvailable: 1 }, { disruptedPods }), pods);
    expect(status.disruptedPods).toEqual({ a: ago(60) });
    expect(status.currentHealthy).toBe(2);
    expect(lookAgainMs).toBe(60_001);
  });
});
