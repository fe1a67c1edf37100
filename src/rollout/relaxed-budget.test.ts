import { describe, expect, it } from 'vitest';
import type { Pod, PodDisruptionBudget } from '../kubernetes/types/index.ts';
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

const everybody = [
  waits('late', 2),
  waits('early', 1),
  waits('other', 0, { app: 'db' }),
  waits('elsewhere', 0, { namespace: 'lab' }),
];

function relaxed(before: PodDisruptionBudget | undefined, after: PodDisruptionBudget | undefined): string {
  return relaxedPods({ before, after }, () => everybody)
    .map(({ pod }) => pod.metadata.name)
    .join(' ');
}

describe('a budget', () => {
  const tight = aBudget({});
  it.each<[string, PodDisruptionBudget | undefined, PodDisruptionBudget | undefined, string]>([
    ['that is new lets nobody go', undefined, aBudget({ allowed: 1 }), ''],
    ['that is as before lets nobody go', tight, aBudget({}), ''],
    ['that lets one more go lets the longest waiting go', tight, aBudget({ allowed: 1 }), 'early'],
    ['that lets many go lets all go that it guards', tight, aBudget({ allowed: 9 }), 'early late'],
    ['that lets fewer go lets nobody go', aBudget({ allowed: 2 }), aBudget({ allowed: 1 }), ''],
    ['that is deleted lets all go that it guarded', tight, undefined, 'early late'],
    [
      'that guards others now lets those go that it guarded',
      tight,
      aBudget({ generation: 2, observed: 1 }, 'db'),
      'early late',
    ],
    [
      'that was changed and is not in force yet lets nobody go',
      tight,
      aBudget({ generation: 2, observed: 1 }),
      '',
    ],
    [
      'that was changed and is in force now is asked, whatever its numbers say',
      aBudget({ generation: 2, observed: 1 }),
      aBudget({ generation: 2 }),
      'early late',
    ],
  ])('%s', (_, before, after, expected) => {
    expect(relaxed(before, after)).toBe(expected);
  });

  it('whose change matters to nobody costs no look at those who wait', () => {
    const nobody = () => {
      throw new Error('nobody is to be asked for');
    };
    expect(relaxedPods({ before: tight, after: aBudget({}) }, nobody)).toEqual([]);
  });

  it('of any shape is looked at', () => {
    // What no server has checked may lack everything.
    const odd = { metadata: {} } as unknown as PodDisruptionBudget;
    expect(relaxed(odd, undefined)).toBe('');
    expect(relaxed(odd, odd)).toBe('');
  });
});
