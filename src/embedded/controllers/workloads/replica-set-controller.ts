/** The ReplicaSet controller: maintains pods and reports their counts. */

import { jsonEqual } from '../../../base/json.ts';
import { after, type Controller, done, KubeError, type Next } from '../../../kubernetes/client/index.ts';
import { pod, type ReplicaSet, replicaSet } from '../../../kubernetes/types/index.ts';
import { Expectations } from '../expectations.ts';
import { objectKeyOf } from '../object-keys.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { updateStatus } from '../writes.ts';
import {
  decideReplicaSet,
  nextReplicaSetLookMs,
  type ReplicaSetSeen,
  replicaSetStatus,
} from './decide-replica-set.ts';
import { byNamespace, followOwned } from './follow-owned.ts';
import { byController, candidatesFor, claimDependents, controllerOf } from './ownership.ts';
import { isActive } from './pod-state.ts';

export function createReplicaSetController({ kube, caches, env, settings }: WorkloadContext): Controller {
  const indexes = { ...byController, ...byNamespace };
  const sets = caches.of(replicaSet, { indexes });
  const pods = caches.of(pod, { indexes });
  const expectations = new Expectations({ clock: env.clock, timeoutMs: settings.expectationTimeoutMs });
  expectations.track(pod, pods);
  expectations.track(replicaSet, sets);

  /** The snapshot to decide on; undefined after a conflict. */
  async function observe(key: string, set: ReplicaSet): Promise<ReplicaSetSeen | undefined> {
    const claimed = await claimDependents(
      kube,
      { resource: replicaSet, owner: set, selector: set.spec.selector },
      { resource: pod, candidates: candidatesFor(pods, set).filter(isActive) },
    );
    if (claimed === undefined) return undefined;
    if ((await expectations.carryOut(kube, key, claimed.writes)) !== undefined) return undefined;
    return { set, pods: claimed.owned, related: relatedPods(set), nowMs: env.clock.now() };
  }

  function relatedPods(set: ReplicaSet) {
    const owner = controllerOf(set)?.uid;
    const related = owner === undefined ? [set] : sets.by('controller', owner);
    return related.flatMap(({ metadata }) => pods.by('controller', metadata.uid ?? ''));
  }

  async function reconcile(key: string): Promise<Next> {
    const pending = expectations.pending(key);
    if (pending !== undefined) return pending;
    const set = sets.get(objectKeyOf(key));
    if (set === undefined) return done;
    const seen = await observe(key, set);
    if (seen === undefined) return done;
    let failure: KubeError | undefined;
    try {
      if ((await expectations.carryOut(kube, key, decideReplicaSet(seen))) !== undefined) return done;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      failure = error;
    }
    const status = replicaSetStatus(seen, failure?.message);
    if (!jsonEqual(status, set.status ?? {})) {
      await expectations.carryOut(kube, key, [updateStatus(replicaSet, { ...set, status })]);
    }
    // Reported in the status; the loop retries.
    if (failure !== undefined) throw failure;
    const nextMs = nextReplicaSetLookMs(seen);
    return nextMs === undefined ? done : after(nextMs, 'a ready pod becomes available');
  }

  return {
    name: 'replicaset',
    workers: 4,
    caches: [sets, pods],
    watch: (enqueue) =>
      followOwned(
        pods,
        { resource: replicaSet, cache: sets, selectorOf: ({ spec }) => spec.selector },
        enqueue,
      ),
    reconcile,
  };
}
