/** The Deployment controller: manages ReplicaSets and reports progress. */

import { after, type Cache, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
import {
  type Deployment,
  deployment,
  type Pod,
  pod,
  type ReplicaSet,
  replicaSet,
} from '../../../kubernetes/types/index.ts';
import { Expectations } from '../expectations.ts';
import { keyOf, keyOfObject, objectKeyOf } from '../object-keys.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { updateStatus } from '../writes.ts';
import { type DeploymentSeen, decideDeployment } from './decide-deployment.ts';
import { currentSet } from './deployment-sets.ts';
import { byNamespace, followOwned } from './follow-owned.ts';
import { byController, candidatesFor, claimDependents, controllerOf } from './ownership.ts';
import { hasEnded } from './pod-state.ts';

type DeploymentContext = Pick<WorkloadContext, 'kube' | 'env'> & {
  readonly deployments: Cache<Deployment>;
  readonly sets: Cache<ReplicaSet>;
  readonly pods: Cache<Pod>;
  readonly expectations: Expectations;
};

export function createDeploymentController({ kube, caches, env, settings }: WorkloadContext): Controller {
  const indexes = { ...byController, ...byNamespace };
  const deployments = caches.of(deployment, { indexes });
  const sets = caches.of(replicaSet, { indexes });
  const pods = caches.of(pod, { indexes });
  const expectations = new Expectations({ clock: env.clock, timeoutMs: settings.expectationTimeoutMs });
  expectations.track(deployment, deployments);
  expectations.track(replicaSet, sets);
  const context: DeploymentContext = { kube, env, deployments, sets, pods, expectations };

  return {
    name: 'deployment',
    workers: 4,
    caches: [deployments, sets, pods],
    watch: (enqueue) => {
      followOwned(
        sets,
        { resource: deployment, cache: deployments, selectorOf: ({ spec }) => spec.selector },
        enqueue,
      );
      // Recreate waits for the deletion of the last old pod.
      pods.onChange(({ before, after: shown }) => {
        if (before === undefined || (shown !== undefined && !hasEnded(shown))) return;
        const owner = ownerOf(context, before);
        if (owner?.spec.strategy?.type === 'Recreate') enqueue(keyOf(owner));
      });
    },
    reconcile: (key) => reconcile(context, key),
  };
}

async function reconcile(context: DeploymentContext, key: string): Promise<Next> {
  const { kube, deployments, expectations } = context;
  const pending = expectations.pending(key);
  if (pending !== undefined) return pending;
  const one = deployments.get(objectKeyOf(key));
  if (one === undefined) return done;
  const snapshot = await observe(context, key, one);
  if (snapshot === undefined) return done;
  const { writes, lookAgainMs } = decideDeployment(snapshot);
  const stale = await expectations.carryOut(kube, key, writes);
  // The name of a set is derived from its template and may already exist.
  if (stale?.kind === 'create') await avoidName(context, one, keyOfObject(stale.object).name);
  return lookAgainMs === undefined ? done : after(lookAgainMs, 'the progress deadline may be exceeded');
}

/** The snapshot to decide on; undefined after a conflict. */
async function observe(
  { kube, env, sets, pods, expectations }: DeploymentContext,
  key: string,
  one: Deployment,
): Promise<DeploymentSeen | undefined> {
  const claimed = await claimDependents(
    kube,
    { resource: deployment, owner: one, selector: one.spec.selector },
    { resource: replicaSet, candidates: candidatesFor(sets, one) },
  );
  if (claimed === undefined) return undefined;
  await expectations.carryOut(kube, key, claimed.writes);
  // Adopted objects have changed; they are handled once observed.
  if (claimed.writes.length > 0) return undefined;
  const owned = claimed.owned.flatMap(({ metadata }) => pods.by('controller', metadata.uid ?? ''));
  return { deployment: one, sets: claimed.owned, pods: owned, nowMs: env.clock.now() };
}

/** Increments collisionCount if the name of a new set is taken by a foreign one. */
async function avoidName(
  { kube, expectations }: DeploymentContext,
  one: Deployment,
  name: string,
): Promise<void> {
  const { namespace = '' } = one.metadata;
  const taken = await kube.get(replicaSet, { name, namespace });
  if (taken === undefined || isCurrentOf(one, taken)) return;
  const status = { ...one.status, collisionCount: (one.status?.collisionCount ?? 0) + 1 };
  await expectations.carryOut(kube, keyOf(one), [updateStatus(deployment, { ...one, status })]);
}

/** The Deployment of a pod, through its ReplicaSet. */
function ownerOf({ sets, deployments }: DeploymentContext, gone: Pod): Deployment | undefined {
  const { namespace = '' } = gone.metadata;
  const ofPod = controllerOf(gone);
  const set = ofPod === undefined ? undefined : sets.get({ name: ofPod.name, namespace });
  const ofSet = set === undefined ? undefined : controllerOf(set);
  return ofSet === undefined ? undefined : deployments.get({ name: ofSet.name, namespace });
}

function isCurrentOf(one: Deployment, set: ReplicaSet): boolean {
  return controllerOf(set)?.uid === one.metadata.uid && currentSet(one, [set]) !== undefined;
}
