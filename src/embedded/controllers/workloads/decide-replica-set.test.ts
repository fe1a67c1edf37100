import { describe, expect, it } from 'vitest';
import { ago, aPod, aReplicaSet, aTemplate, NOW_MS } from '../../../../test/support/build-workloads.ts';
import { formatWrites } from '../../../../test/support/format-writes.ts';
import type { Pod, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { BURST, decideReplicaSet, nextReplicaSetLookMs, replicaSetStatus } from './decide-replica-set.ts';

function seen(set: ReplicaSet, pods: readonly Pod[]) {
  return { set, pods, related: pods, nowMs: NOW_MS };
}

describe('a replica set', () => {
  it('that is terminating neither creates nor deletes pods', () => {
    const set = aReplicaSet('web', { replicas: 3 }, { deletionTimestamp: ago(1) });
    expect(decideReplicaSet(seen(set, []))).toEqual([]);
  });

  it('creates missing pods', () => {
    const writes = decideReplicaSet(seen(aReplicaSet('web', { replicas: 3 }), [aPod('a')]));
    expect(formatWrites(writes)).toEqual(['create pods/web-*', 'create pods/web-*']);
    expect(writes[0]?.object).toMatchObject({
      metadata: {
        generateName: 'web-',
        namespace: 'space',
        labels: { app: 'web' },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: 'web',
            uid: 'uid-web',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { containers: [{ image: 'a' }] },
    });
  });

  it('deletes the least valuable surplus pods', () => {
    const pods = [
      aPod('ready', { readyFor: 10, node: 'n' }),
      aPod('waiting', { node: 'n' }),
      aPod('unplaced'),
    ];
    const writes = decideReplicaSet(seen(aReplicaSet('web', { replicas: 1 }), pods));
    expect(formatWrites(writes)).toEqual(['delete pods/unplaced', 'delete pods/waiting']);
  });

  it('defaults to one replica', () => {
    const { replicas: _, ...spec } = aReplicaSet().spec;
    expect(decideReplicaSet(seen({ ...aReplicaSet(), spec }, []))).toHaveLength(1);
  });

  it('limits creations per reconcile', () => {
    expect(decideReplicaSet(seen(aReplicaSet('web', { replicas: 10_000 }), []))).toHaveLength(BURST);
  });

  it('counts its pods', () => {
    const set = aReplicaSet(
      'web',
      { replicas: 4, minReadySeconds: 30, template: aTemplate() },
      { generation: 7 },
    );
    const pods = [
      aPod('a', { readyFor: 60 }),
      aPod('b', { readyFor: 10 }),
      aPod('c'),
      aPod('d', {}, { labels: { other: 'x' } }),
    ];
    expect(replicaSetStatus(seen(set, pods), undefined)).toEqual({
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      observedGeneration: 7,
    });
    expect(nextReplicaSetLookMs(seen(set, pods))).toBe(20_000);
  });

  it('omits zeros from its status', () => {
    expect(replicaSetStatus(seen(aReplicaSet(), []), undefined)).toEqual({
      replicas: 0,
      observedGeneration: 1,
    });
  });

  it('reports ReplicaFailure until it is resolved', () => {
    const status = replicaSetStatus(seen(aReplicaSet(), []), 'pods are forbidden');
    expect(status.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'pods are forbidden',
        lastTransitionTime: ago(0),
      },
    ]);
    const failing = aReplicaSet('web', {}, { status });
    const later = { ...seen(failing, []), nowMs: NOW_MS + 60_000 };
    expect(replicaSetStatus(later, 'pods are forbidden').conditions).toEqual(status.conditions);
    expect(replicaSetStatus(later, undefined)).not.toHaveProperty('conditions');
  });
});
