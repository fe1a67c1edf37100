import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../kubernetes/meta/index.ts';
import type { Pod, PodDisruptionBudget } from '../kubernetes/types/index.ts';
import { budgetsOf, podForDrain, podsToMove } from './drain-pods.ts';

type Given = {
  readonly annotations?: { readonly [key: string]: string };
  readonly owner?: Partial<OwnerReference>;
  readonly phase?: NonNullable<Pod['status']>['phase'];
  readonly isLeaving?: boolean;
  readonly spec?: Partial<Pod['spec']>;
};

function aPod(
  { annotations = {}, owner, phase = 'Running', isLeaving = false, spec }: Given,
  name = 'p',
): Pod {
  const reference = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'u',
    controller: true,
    ...owner,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      annotations,
      labels: { app: 'web' },
      ...(owner === undefined ? {} : { ownerReferences: [reference] }),
      ...(isLeaving ? { deletionTimestamp: '2025-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [], ...spec },
    status: { phase },
  };
}

const mirror = { 'kubernetes.io/config.mirror': 'hash' };
const daemon = { kind: 'DaemonSet', name: 'agent' };

describe('a pod', () => {
  it.each<[string, Given, 'stays' | 'is evicted' | 'is waited for']>([
    ['that is static', { annotations: mirror }, 'stays'],
    ['that is static and has ended', { annotations: mirror, phase: 'Failed' }, 'stays'],
    ['of a DaemonSet', { owner: daemon }, 'stays'],
    ['of a DaemonSet that is being deleted', { owner: daemon, isLeaving: true }, 'stays'],
    ['of a DaemonSet that is gone', { owner: { ...daemon, name: 'gone' } }, 'is evicted'],
    ['of a DaemonSet that has ended', { owner: daemon, phase: 'Succeeded' }, 'is evicted'],
    ['that a DaemonSet owns but does not manage', { owner: { ...daemon, controller: false } }, 'is evicted'],
    [
      'of a DaemonSet of another group',
      { owner: { ...daemon, apiVersion: 'apps.kruise.io/v1' } },
      'is evicted',
    ],
    ['of a Deployment', { owner: {} }, 'is evicted'],
    ['without a controller', {}, 'is evicted'],
    ['that is important', { spec: { priorityClassName: 'system-node-critical' } }, 'is evicted'],
    ['with local data', { spec: { volumes: [{ name: 'v', emptyDir: {} }] } }, 'is evicted'],
    ['that has not started', { phase: 'Pending' }, 'is evicted'],
    ['that has ended', { phase: 'Succeeded' }, 'is evicted'],
    ['that is being deleted', { isLeaving: true }, 'is waited for'],
  ])('%s %s', (_, given, expected) => {
    const isAgent = ({ name }: { readonly name: string }) => name === 'agent';
    const { staying, leaving } = podsToMove([aPod(given)], isAgent);
    const kept = podForDrain(aPod(given));
    expect(podsToMove([kept], isAgent)).toEqual({ staying, leaving });
    const verdict = staying.length > 0 ? 'is evicted' : leaving.length > 0 ? 'is waited for' : 'stays';
    expect(verdict).toBe(expected);
  });

  it('is returned with its uid, sorted by name', () => {
    const { staying } = podsToMove([aPod({}, 'b'), aPod({}, 'a')], () => false);
    expect(staying).toEqual([
      { namespace: 'shop', name: 'a', uid: 'uid-a' },
      { namespace: 'shop', name: 'b', uid: 'uid-b' },
    ]);
  });
});

it('podForDrain keeps only the fields that a drain reads', () => {
  const containers = Array.from({ length: 50 }, (_, index) => ({
    name: `c${index}`,
    image: 'i'.repeat(200),
  }));
  const large = aPod({ annotations: { note: 'x'.repeat(10_000) }, spec: { containers } });
  expect(JSON.stringify(podForDrain(large)).length).toBeLessThan(400);
});

describe('the budgets of a pod', () => {
  const aBudget = (
    name: string,
    namespace: string,
    selector?: { matchLabels?: { [key: string]: string } },
  ): PodDisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: selector === undefined ? {} : { selector },
  });

  it('are those of its namespace that select it', () => {
    const budgets = [
      aBudget('web', 'shop', { matchLabels: { app: 'web' } }),
      aBudget('all', 'shop', {}),
      aBudget('none', 'shop'),
      aBudget('db', 'shop', { matchLabels: { app: 'db' } }),
      aBudget('web', 'elsewhere', { matchLabels: { app: 'web' } }),
    ];
    expect(budgetsOf(aPod({}), budgets)).toBe('all, web');
    expect(budgetsOf(aPod({}), budgets.slice(2))).toBeUndefined();
    expect(budgetsOf(podForDrain(aPod({})), budgets)).toBe('all, web');
  });
});
