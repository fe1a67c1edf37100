import { describe, expect, it } from 'vitest';
import { aDeployment, ago, aReplicaSet } from '../../../../test/support/build-workloads.ts';
import type { Deployment, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './deployment-annotations.ts';
import {
  grownSize,
  isBeingScaled,
  maxSurgeOf,
  maxUnavailableOf,
  rollingSizes,
  scaledSizes,
} from './deployment-sizes.ts';

function rolling(replicas: number, maxSurge: number | string, maxUnavailable: number | string): Deployment {
  return aDeployment({
    replicas,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  });
}

/** `name size/available`, the first being the oldest. */
function sets(...texts: readonly string[]): readonly ReplicaSet[] {
  return texts.map((text, index) => {
    const [, name = '', size, available] = /^(\S+) (\d+)\/(\d+)$/.exec(text) ?? [];
    return aReplicaSet(
      name,
      { replicas: Number(size) },
      { creationTimestamp: ago(3600 - index), status: { availableReplicas: Number(available) } },
    );
  });
}

function noted(set: ReplicaSet, desired: number, max: number): ReplicaSet {
  const annotations = { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(max) };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

describe('the limits of a rolling update', () => {
  it.each([
    [10, '25%', '25%', 3, 2],
    [1, '25%', '25%', 1, 0],
    [2, '1%', '0%', 1, 0],
    [2, '0%', '1%', 0, 1],
    [3, 0, 5, 0, 3],
    [0, 1, 1, 1, 0],
  ])(
    'of %i pods with %s and %s are %i surge and %i unavailable',
    (replicas, surge, unavailable, more, less) => {
      const deployment = rolling(replicas, surge, unavailable);
      expect([maxSurgeOf(deployment), maxUnavailableOf(deployment)]).toEqual([more, less]);
    },
  );

  it('are zero with Recreate', () => {
    const deployment = aDeployment({ strategy: { type: 'Recreate' } });
    expect([maxSurgeOf(deployment), maxUnavailableOf(deployment)]).toEqual([0, 0]);
  });
});

describe('a rolling update', () => {
  it.each<[string, Deployment, readonly string[], Record<string, number>]>([
    ['grows the new set as far as it may', rolling(10, 3, 2), ['old 10/10', 'new 0/0'], { new: 3 }],
    ['does not grow past the wanted number', rolling(4, 5, 1), ['old 0/0', 'new 2/2'], { new: 4 }],
    ['shrinks a new set that is too large', rolling(2, 1, 0), ['old 0/0', 'new 5/5'], { new: 2 }],
    ['then shrinks the old one', rolling(10, 3, 2), ['old 10/10', 'new 3/0'], { old: 8 }],
    ['goes on with the new one', rolling(10, 3, 2), ['old 8/8', 'new 3/0'], { new: 5 }],
    ['waits for new pods to be available', rolling(10, 3, 2), ['old 8/8', 'new 5/0'], {}],
    ['takes old ones as new ones are available', rolling(10, 3, 2), ['old 8/8', 'new 5/4'], { old: 4 }],
    [
      'takes broken pods first, also of a newer set',
      rolling(4, 1, 1),
      ['old 4/4', 'bad 1/0', 'new 0/0'],
      { bad: 0, old: 3 },
    ],
    [
      'shrinks the older of two sets first',
      rolling(4, 0, 2),
      ['older 2/2', 'old 2/2', 'new 0/0'],
      { older: 0 },
    ],
    ['takes nothing while too little is available', rolling(4, 1, 0), ['old 4/2', 'new 1/0'], {}],
    ['has nothing to do at its end', rolling(4, 1, 1), ['old 0/0', 'new 4/4'], {}],
  ])('%s', (_, deployment, texts, expected) => {
    const all = sets(...texts);
    const current = all.at(-1) ?? aReplicaSet();
    expect(Object.fromEntries(rollingSizes(deployment, current, all.slice(0, -1)))).toEqual(expected);
  });

  it('starts a new set with zero replicas without surge', () => {
    const [old = aReplicaSet(), current = aReplicaSet()] = sets('old 5/5', 'new 0/0');
    expect(grownSize(rolling(4, 1, 1), current, [old, current])).toBe(0);
  });

  it('completes from every step', () => {
    let sizes = new Map([
      ['old', 7],
      ['new', 0],
    ]);
    const deployment = rolling(7, '30%', '20%');
    for (let step = 0; step < 50; step++) {
      const [old = aReplicaSet(), current = aReplicaSet()] = sets(
        `old ${sizes.get('old')}/${sizes.get('old')}`,
        `new ${sizes.get('new')}/${sizes.get('new')}`,
      );
      const next = rollingSizes(deployment, current, [old]);
      if (next.size === 0) break;
      sizes = new Map([...sizes, ...next]);
      const total = [...sizes.values()].reduce((sum, one) => sum + one, 0);
      expect(total).toBeLessThanOrEqual(7 + maxSurgeOf(deployment));
      expect(total).toBeGreaterThanOrEqual(7 - maxUnavailableOf(deployment));
    }
    expect(Object.fromEntries(sizes)).toEqual({ old: 0, new: 7 });
  });
});

describe('a deployment that is scaled', () => {
  it('is detected by the annotations of its sets', () => {
    const [set = aReplicaSet()] = sets('web 4/4');
    expect(isBeingScaled(rolling(4, 1, 1), [noted(set, 4, 5)])).toBe(false);
    expect(isBeingScaled(rolling(6, 1, 1), [noted(set, 4, 5)])).toBe(true);
    expect(isBeingScaled(rolling(6, 1, 1), [set])).toBe(false);
    const [empty = aReplicaSet()] = sets('old 0/0');
    expect(isBeingScaled(rolling(6, 1, 1), [noted(empty, 4, 5)])).toBe(false);
  });

  it('scales the only set that has pods', () => {
    const [old = aReplicaSet(), current = aReplicaSet()] = sets('old 0/0', 'new 4/4');
    expect(Object.fromEntries(scaledSizes(rolling(7, 1, 1), current, [old]))).toEqual({ new: 7 });
  });

  it('scales the newest set if none has pods', () => {
    const all = sets('older 0/0', 'old 0/0');
    expect(Object.fromEntries(scaledSizes(rolling(2, 1, 1), undefined, all))).toEqual({ old: 2 });
    expect(scaledSizes(rolling(2, 1, 1), undefined, []).size).toBe(0);
  });

  it('scales proportionally if several have pods', () => {
    const [old = aReplicaSet(), current = aReplicaSet()] = sets('old 8/8', 'new 5/0');
    const shared = scaledSizes(rolling(20, 3, 2), noted(current, 10, 13), [noted(old, 10, 13)]);
    expect(Object.fromEntries(shared)).toEqual({ old: 14, new: 9 });
  });

  it('scales down all sets, to zero if requested', () => {
    const [old = aReplicaSet(), current = aReplicaSet()] = sets('old 8/8', 'new 5/0');
    const both = [noted(old, 10, 13), noted(current, 10, 13)] as const;
    expect(Object.fromEntries(scaledSizes(rolling(5, 3, 2), both[1], [both[0]]))).toEqual({ old: 5, new: 3 });
    expect(Object.fromEntries(scaledSizes(rolling(0, 3, 2), both[1], [both[0]]))).toEqual({ old: 0, new: 0 });
  });

  it('scales old sets to zero once the new one is complete', () => {
    const [old = aReplicaSet(), current = aReplicaSet()] = sets('old 2/2', 'new 5/5');
    expect(Object.fromEntries(scaledSizes(rolling(5, 1, 1), noted(current, 5, 6), [old]))).toEqual({
      old: 0,
    });
  });
});
