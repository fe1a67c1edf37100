import { describe, expect, it } from 'vitest';
import type { Pod, PodDisruptionBudget } from '../../kubernetes/types/index.ts';
import { relaxedPods, type WaitingPod } from './relaxed-budget.ts';

function waits(name: string, sinceMs = 0, { app = 'web', namespace = 'shop' } = {}): WaitingPod {
  const pod: Pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: { containers: [] } },
    metadata: { name, namespace, uid: name, labels: { app } },
  };
  return { pod, sinceMs };
}

type Given = { readonly allowed?: number; readonly generation?: number; readonly observed?: number };

function aBudget(
  { allowed = 0, generation = 1, observed = generation }: Given,
  app = 'web',
): PodDisruptionBudget {
  return {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    metadata: { name: 'web', namespace: 'shop', generation },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    status: {
      ...{ disruptionsAllowed: allowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 },
      observedGeneration: observed,
    },
  };
}

const waiting = [
  waits('late', 2),
  waits('early', 1),
  waits('other', 0, { app: 'db' }),
  waits('elsewhere', 0, { namespace: 'lab' }),
];

function relaxed(before: PodDisruptionBudget | undefined, after: PodDisruptionBudget | undefined): string {
  return relaxedPods({ before, after }, () => waiting)
    .map(({ pod }) => pod.metadata.name)
    .join(' ');
}

describe('relaxedPods: a budget', () => {
  const tight = aBudget({});
  it.each<[string, PodDisruptionBudget | undefined, PodDisruptionBudget | undefined, string]>([
    ['that is new allows no retry', undefined, aBudget({ allowed: 1 }), ''],
    ['that is unchanged allows no retry', tight, aBudget({}), ''],
    [
      'that allows one more disruption retries the longest waiting pod',
      tight,
      aBudget({ allowed: 1 }),
      'early',
    ],
    [
      'that allows many disruptions retries all pods that it selects',
      tight,
      aBudget({ allowed: 9 }),
      'early late',
    ],
    ['that allows fewer disruptions allows no retry', aBudget({ allowed: 2 }), aBudget({ allowed: 1 }), ''],
    ['that is deleted retries all pods that it selected', tight, undefined, 'early late'],
    [
      'that selects other pods retries the pods that it selected before',
      tight,
      aBudget({ generation: 2, observed: 1 }, 'db'),
      'early late',
    ],
    [
      'that was changed and is not observed yet allows no retry',
      tight,
      aBudget({ generation: 2, observed: 1 }),
      '',
    ],
    [
      'that was changed and is observed now retries all, whatever its counts',
      aBudget({ generation: 2, observed: 1 }),
      aBudget({ generation: 2 }),
      'early late',
    ],
  ])('%s', (_, before, after, expected) => {
    expect(relaxed(before, after)).toBe(expected);
  });

  it('with an irrelevant change does not list the waiting pods', () => {
    const unused = () => {
      throw new Error('the waiting pods are not needed');
    };
    expect(relaxedPods({ before: tight, after: aBudget({}) }, unused)).toEqual([]);
  });

  it('of any shape is handled', () => {
    // Without validation any field may be missing.
    const odd = { metadata: {} } as unknown as PodDisruptionBudget;
    expect(relaxed(odd, undefined)).toBe('');
    expect(relaxed(odd, odd)).toBe('');
  });
});
