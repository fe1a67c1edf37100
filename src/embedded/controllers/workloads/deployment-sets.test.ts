import { describe, expect, it } from 'vitest';
import { aDeployment, ago, aReplicaSet, aTemplate } from '../../../../test/support/build-workloads.ts';
import type { ReplicaSet } from '../../../kubernetes/types/index.ts';
import { currentSet, newSet, nextRevision, outdatedSets, renewedSet } from './deployment-sets.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';

function revised(name: string, revision: string, given: Parameters<typeof aReplicaSet>[2] = {}): ReplicaSet {
  return aReplicaSet(name, { replicas: 0 }, { annotations: { [REVISION]: revision }, ...given });
}

function names(sets: readonly ReplicaSet[]): readonly string[] {
  return sets.map(({ metadata }) => metadata.name);
}

describe('the current set', () => {
  it('has the same template, whatever its hash label', () => {
    const labels = { app: 'web', 'pod-template-hash': 'abc' };
    const same = aReplicaSet('same', { template: { ...aTemplate('a'), metadata: { labels } } });
    const other = aReplicaSet('other', { template: aTemplate('b') });
    expect(currentSet(aDeployment(), [other, same])).toBe(same);
    expect(currentSet(aDeployment(), [other])).toBeUndefined();
  });

  it('is the oldest of several', () => {
    const [young, old] = [aReplicaSet('a', {}, { creationTimestamp: ago(1) }), aReplicaSet('b')];
    expect(currentSet(aDeployment(), [young, old])).toBe(old);
  });
});

describe('a new set', () => {
  const deployment = aDeployment(
    { minReadySeconds: 5 },
    { annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
  );

  it('has a name, labels and a selector of its own', () => {
    const { metadata, spec } = newSet(deployment, 3);
    const hash = metadata.labels?.['pod-template-hash'] ?? '';
    expect(metadata.name).toBe(`web-${hash}`);
    expect(spec.selector).toEqual({ matchLabels: { app: 'web', 'pod-template-hash': hash } });
    expect(spec.template.metadata?.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(spec).toMatchObject({ replicas: 0, minReadySeconds: 5 });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'web', controller: true }]);
  });

  it('inherits annotations except those about the deployment', () => {
    expect(newSet(deployment, 3).metadata.annotations).toEqual({
      note: 'x',
      [REVISION]: '3',
      'deployment.kubernetes.io/desired-replicas': '4',
      'deployment.kubernetes.io/max-replicas': '5',
    });
  });

  it('has another name after a collision', () => {
    const collided = aDeployment({}, { status: { collisionCount: 1 } });
    expect(newSet(collided, 1).metadata.name).not.toBe(newSet(aDeployment(), 1).metadata.name);
  });
});

describe('revisions', () => {
  it('continue above the highest, ignoring malformed ones', () => {
    expect(nextRevision([])).toBe(1);
    expect(nextRevision([revised('a', '2'), revised('b', '7'), revised('c', 'many')])).toBe(8);
  });

  it('are given to a reused set, which records its earlier ones', () => {
    const back = renewedSet(revised('a', '1'), aDeployment(), 3);
    expect(back.metadata.annotations).toMatchObject({ [REVISION]: '3', [HISTORY]: '1' });
    const again = renewedSet(back, aDeployment(), 5);
    expect(again.metadata.annotations).toMatchObject({ [REVISION]: '5', [HISTORY]: '1,3' });
  });

  it('are not lowered', () => {
    const set = revised('a', '9');
    expect(renewedSet(set, aDeployment(), 4)).toBe(set);
  });

  it('have a bounded history', () => {
    const history = Array.from({ length: 700 }, (_, index) => index).join(',');
    const set = aReplicaSet('a', {}, { annotations: { [REVISION]: '700', [HISTORY]: history } });
    const renewed = renewedSet(set, aDeployment(), 701).metadata.annotations?.[HISTORY] ?? '';
    expect(renewed.length).toBeLessThanOrEqual(2000);
    expect(renewed).toMatch(/,699,700$/);
  });

  it('come with the annotations and minReadySeconds of the deployment', () => {
    const deployment = aDeployment({ minReadySeconds: 9 }, { annotations: { note: 'y' } });
    const renewed = renewedSet(revised('a', '1'), deployment, 1);
    expect(renewed.metadata.annotations).toEqual({ note: 'y', [REVISION]: '1' });
    expect(renewed.spec.minReadySeconds).toBe(9);
  });
});

describe('outdated sets', () => {
  it('are the lowest revisions beyond the limit', () => {
    const old = [revised('c', '3'), revised('a', '1'), revised('d', '10'), revised('b', '2')];
    expect(names(outdatedSets(aDeployment({ revisionHistoryLimit: 2 }), old))).toEqual(['a', 'b']);
    expect(outdatedSets(aDeployment({ revisionHistoryLimit: 4 }), old)).toEqual([]);
  });

  it('are kept while they have or want pods, or are not observed', () => {
    const deployment = aDeployment({ revisionHistoryLimit: 0 });
    const kept = [
      revised('a', '1', { status: { replicas: 1 } }),
      revised('b', '2', { generation: 2 }),
      { ...revised('c', '3'), spec: { ...revised('c', '3').spec, replicas: 1 } },
      revised('d', '4', { deletionTimestamp: ago(1) }),
    ];
    expect(outdatedSets(deployment, kept)).toEqual([]);
    expect(names(outdatedSets(deployment, [...kept, revised('e', '5')]))).toEqual(['e']);
  });
});
