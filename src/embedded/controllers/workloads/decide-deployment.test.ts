import { describe, expect, it } from 'vitest';
import {
  aDeployment,
  ago,
  aPod,
  aReplicaSet,
  aTemplate,
  NOW_MS,
  ownedBy,
} from '../../../../test/support/build-workloads.ts';
import { formatWrites, withStatusIn } from '../../../../test/support/format-writes.ts';
import type { Deployment, DeploymentStatus, Pod, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { deployment as deploymentResource } from '../../../kubernetes/types/index.ts';
import { type DeploymentSeen, decideDeployment } from './decide-deployment.ts';
import type { DeploymentCondition } from './deployment-status.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const SIZED = {
  'deployment.kubernetes.io/desired-replicas': '4',
  'deployment.kubernetes.io/max-replicas': '5',
};

function seen(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  { pods = [], nowMs = NOW_MS }: { readonly pods?: readonly Pod[]; readonly nowMs?: number } = {},
): DeploymentSeen {
  return { deployment, sets, pods, nowMs };
}

/** A set of the deployment with so many pods, all of them available. */
function aSet(name: string, size: number, revision: number, image = 'a', available = size): ReplicaSet {
  return aReplicaSet(
    name,
    { replicas: size, template: aTemplate(image) },
    {
      annotations: { [REVISION]: String(revision), ...SIZED },
      creationTimestamp: ago(1000 - revision),
      status: { replicas: size, readyReplicas: available, availableReplicas: available },
    },
  );
}

function statusOf({ writes }: ReturnType<typeof decideDeployment>): DeploymentStatus | undefined {
  return withStatusIn(deploymentResource, writes).status;
}

function condition(status: DeploymentStatus | undefined, type: string): DeploymentCondition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** What is written of sets, with their sizes. */
function sizes({ writes }: ReturnType<typeof decideDeployment>): readonly string[] {
  return writes
    .filter(({ resource }) => resource.plural === 'replicasets')
    .map(({ kind, object }) => `${kind} ${object.metadata.name} ${(object as ReplicaSet).spec.replicas}`);
}

describe('a deployment', () => {
  it('that is terminating only reports its status', () => {
    const decision = decideDeployment(
      seen(aDeployment({}, { deletionTimestamp: ago(1) }), [aSet('old', 1, 1, 'b')]),
    );
    expect(formatWrites(decision.writes)).toEqual(['update deployments/web status']);
  });

  it('creates a ReplicaSet for its template', () => {
    const decision = decideDeployment(seen(aDeployment(), []));
    expect(sizes(decision)).toEqual([expect.stringMatching(/^create web-[a-z0-9]{10} 4$/)]);
    const status = statusOf(decision);
    expect(status).toMatchObject({ observedGeneration: 1, unavailableReplicas: 4 });
    expect(condition(status, 'Progressing')).toMatchObject({
      status: 'True',
      reason: 'NewReplicaSetCreated',
    });
    expect(condition(status, 'Available')).toMatchObject({
      status: 'False',
      reason: 'MinimumReplicasUnavailable',
    });
  });

  it('has the revision of its ReplicaSet', () => {
    const { writes } = decideDeployment(seen(aDeployment(), [aSet('old', 4, 6, 'b')]));
    expect(writes.at(-1)?.object.metadata.annotations).toEqual({ [REVISION]: '7' });
  });

  it('converges', () => {
    const current = aSet('web', 4, 1);
    const first = decideDeployment(seen(aDeployment(), [current]));
    const written = withStatusIn(deploymentResource, first.writes);
    expect(formatWrites(first.writes)).toEqual(['update deployments/web status']);
    const again = decideDeployment(seen(written, [current], { nowMs: NOW_MS + 60_000 }));
    expect(again).toEqual({ writes: [], lookAgainMs: undefined });
    expect(condition(written.status, 'Progressing')).toMatchObject({
      reason: 'NewReplicaSetAvailable',
      message: 'ReplicaSet "web" has successfully progressed.',
    });
  });

  it('replaces its pods step by step', () => {
    const deployment = aDeployment();
    const steps: readonly [readonly ReplicaSet[], readonly string[]][] = [
      [[aSet('old', 4, 1, 'b'), aSet('new', 0, 2)], ['update new 1']],
      [[aSet('old', 4, 1, 'b'), aSet('new', 1, 2, 'a', 0)], ['update old 3']],
      [[aSet('old', 3, 1, 'b'), aSet('new', 1, 2, 'a', 0)], ['update new 2']],
      [[aSet('old', 3, 1, 'b'), aSet('new', 2, 2, 'a', 0)], []],
      [[aSet('old', 3, 1, 'b'), aSet('new', 2, 2, 'a', 2)], ['update old 1']],
    ];
    for (const [sets, expected] of steps) {
      expect(sizes(decideDeployment(seen(deployment, sets)))).toEqual(expected);
    }
  });

  it('deletes old ReplicaSets only when it is complete', () => {
    const old = ['b', 'c', 'd'].map((image, index) => aSet(image, 0, index + 1, image));
    const current = aSet('web', 4, 4);
    const incomplete = decideDeployment(seen(aDeployment(), [...old, current]));
    expect(formatWrites(incomplete.writes)).toEqual(['update deployments/web status']);
    const complete = withStatusIn(deploymentResource, incomplete.writes);
    expect(formatWrites(decideDeployment(seen(complete, [...old, current])).writes)).toEqual([
      'delete replicasets/b',
    ]);
  });

  it('gives a reused template a new revision', () => {
    const decision = decideDeployment(seen(aDeployment(), [aSet('old', 0, 1), aSet('new', 4, 2, 'b')]));
    const [update] = decision.writes;
    expect(sizes(decision)).toEqual(['update old 1']);
    expect(update?.object.metadata.annotations).toMatchObject({
      [REVISION]: '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(withStatusIn(deploymentResource, decision.writes).metadata.annotations).toEqual({
      [REVISION]: '3',
    });
  });

  it('that was scaled changes sizes before templates', () => {
    const sets = [aSet('old', 3, 1, 'b'), aSet('new', 2, 2)];
    const decision = decideDeployment(seen(aDeployment({ replicas: 8 }), sets));
    expect(sizes(decision)).toEqual(['update old 5', 'update new 4']);
    expect(decision.writes[0]?.object.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '8',
      'deployment.kubernetes.io/max-replicas': '9',
    });
  });

  it('that is paused keeps its template, but can be scaled', () => {
    const paused = aDeployment({ paused: true, template: aTemplate('new') });
    const still = decideDeployment(seen(paused, [aSet('web', 4, 1)]));
    expect(sizes(still)).toEqual([]);
    expect(condition(statusOf(still), 'Progressing')).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentPaused',
    });
    const scaled = { ...paused, spec: { ...paused.spec, replicas: 6 } };
    expect(sizes(decideDeployment(seen(scaled, [aSet('web', 4, 1)])))).toEqual(['update web 6']);
  });

  it('reports that it is resumed', () => {
    const paused = { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: '' };
    const resumed = aDeployment({}, { status: { replicas: 4, updatedReplicas: 4, conditions: [paused] } });
    const status = statusOf(decideDeployment(seen(resumed, [aSet('web', 4, 1, 'a', 0)])));
    expect(condition(status, 'Progressing')).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentResumed',
    });
  });
});

describe('a deployment that recreates its pods', () => {
  const deployment = aDeployment({ strategy: { type: 'Recreate' } });

  it('deletes all old pods first', () => {
    expect(sizes(decideDeployment(seen(deployment, [aSet('old', 4, 1, 'b')])))).toEqual(['update old 0']);
  });

  it('waits until the last old pod is gone', () => {
    const old = aSet('old', 0, 1, 'b');
    const leaving = aPod('a', { readyFor: 9, leaves: true }, { ownerReferences: [ownedBy(old)] });
    expect(sizes(decideDeployment(seen(deployment, [old], { pods: [leaving] })))).toEqual([]);
    const counted = { ...old, status: { replicas: 1 } };
    expect(sizes(decideDeployment(seen(deployment, [counted])))).toEqual([]);
  });

  it('does not wait for terminated pods', () => {
    const old = aSet('old', 0, 1, 'b');
    const ended = aPod('a', { phase: 'Failed' }, { ownerReferences: [ownedBy(old)] });
    expect(sizes(decideDeployment(seen(deployment, [old], { pods: [ended] })))).toEqual([
      expect.stringMatching(/^create web-\w+ 4$/),
    ]);
  });

  it('then creates all new pods at once', () => {
    expect(sizes(decideDeployment(seen(deployment, [aSet('web', 0, 1)])))).toEqual(['update web 4']);
  });
});

describe('the progress of a deployment', () => {
  const moving: DeploymentCondition = {
    type: 'Progressing',
    status: 'True',
    reason: 'ReplicaSetUpdated',
    message: '',
    lastUpdateTime: ago(599),
    lastTransitionTime: ago(5000),
  };
  const counts = { replicas: 4, updatedReplicas: 4, observedGeneration: 1, unavailableReplicas: 4 };
  const stuck = [aSet('web', 4, 1, 'a', 0)];

  it('is checked again at its deadline', () => {
    const deployment = aDeployment({}, { status: { ...counts, conditions: [moving] } });
    const decision = decideDeployment(seen(deployment, stuck));
    expect(decision.lookAgainMs).toBe(2000);
    expect(condition(statusOf(decision), 'Progressing')).toEqual(moving);
  });

  it('is reported as exceeded after its deadline', () => {
    const deployment = aDeployment({}, { status: { ...counts, conditions: [moving] } });
    const decision = decideDeployment(seen(deployment, stuck, { nowMs: NOW_MS + 2000 }));
    expect(condition(statusOf(decision), 'Progressing')).toEqual({
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "web" has timed out progressing.',
      lastUpdateTime: ago(-2),
      lastTransitionTime: ago(-2),
    });
    expect(decision.lookAgainMs).toBeUndefined();
  });

  it('restarts its deadline with each ready pod', () => {
    const deployment = aDeployment({}, { status: { ...counts, conditions: [moving] } });
    const decision = decideDeployment(seen(deployment, [aSet('web', 4, 1, 'a', 1)]));
    expect(condition(statusOf(decision), 'Progressing')).toMatchObject({
      reason: 'ReplicaSetUpdated',
      message: 'ReplicaSet "web" is progressing.',
      lastUpdateTime: ago(0),
      lastTransitionTime: ago(5000),
    });
    expect(decision.lookAgainMs).toBe(601_000);
  });

  it('is not reported without a deadline', () => {
    const deployment = aDeployment(
      { progressDeadlineSeconds: 2 ** 31 - 1 },
      { status: { ...counts, conditions: [moving] } },
    );
    const decision = decideDeployment(seen(deployment, stuck));
    expect(condition(statusOf(decision), 'Progressing')).toBeUndefined();
    expect(decision.lookAgainMs).toBeUndefined();
  });

  it('includes ReplicaFailure until it is resolved', () => {
    const failing = aReplicaSet(
      'web',
      { replicas: 4 },
      {
        annotations: { [REVISION]: '1', ...SIZED },
        status: {
          conditions: [
            { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no quota' },
          ],
        },
      },
    );
    const status = statusOf(decideDeployment(seen(aDeployment(), [failing])));
    expect(condition(status, 'ReplicaFailure')).toMatchObject({
      reason: 'FailedCreate',
      message: 'no quota',
    });
    const healed = decideDeployment(seen(aDeployment({}, { status: status ?? {} }), stuck));
    expect(condition(statusOf(healed), 'ReplicaFailure')).toBeUndefined();
  });
});
