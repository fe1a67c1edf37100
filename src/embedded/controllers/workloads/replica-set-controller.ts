/** The ReplicaSet controller: maintains pods and reports their counts. */

import { jsonEqual } from '../../../base/json.ts';
import { after, type Controller, done, KubeError, type Next } from '../../../kubernetes/client/index.ts';
import { pod, type ReplicaSet, replicaSet } from '../../../kubernetes/types/index.ts';
import { placeOf } from '../object-keys.ts';
import { UnseenWrites } from '../unseen-writes.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { updateStatus } from '../writes.ts';
import {
  decideReplicaSet,
  nextReplicaSetLookMs,
  type ReplicaSetSeen,
  replicaSetStatus,
} from './decide-replica-set.ts';
import { byNamespace, followOwned } from './follow-owned.ts';
import {
  byController,
  candidatesFor,
  claim,
  claimWrites,
  controllerOf,
  controllerReference,
  isStillThere,
} from './ownership.ts';
import { isActive } from './pod-state.ts';

export function createReplicaSetController({ kube, caches, env, settings }: WorkloadContext): Controller {
  const indexes = { ...byController, ...byNamespace };
  const sets = caches.of(replicaSet, { indexes });
  const pods = caches.of(pod, { indexes });
  const unseen = new UnseenWrites({ clock: env.clock, limitMs: settings.unseenLimitMs });
  unseen.follow(pod, pods);
  unseen.follow(replicaSet, sets);

  /** The snapshot to decide on; undefined after a conflict. */
  async function observe(key: string, set: ReplicaSet): Promise<ReplicaSetSeen | undefined> {
    const claimed = claim(set, set.spec.selector, candidatesFor(pods, set).filter(isActive));
    const writes = claimWrites(pod, claimed, controllerReference(replicaSet, set));
    if (claimed.adopt.length > 0 && !(await isStillThere(kube, replicaSet, set))) return undefined;
    if ((await unseen.carryOut(kube, key, writes)) !== undefined) return undefined;
    return { set, pods: claimed.owned, related: relatedPods(set), nowMs: env.clock.now() };
  }

  function relatedPods(set: ReplicaSet) {
    const owner = controllerOf(set)?.uid;
    const related = owner === undefined ? [set] : sets.by('controller', owner);
    return related.flatMap(({ metadata }) => pods.by('controller', metadata.uid ?? ''));
  }

  async function reconcile(key: string): Promise<Next> {
    const waitMs = unseen.waitMs(key);
    if (waitMs !== undefined) return after(waitMs, 'what was written last is not seen yet');
    const set = sets.get(placeOf(key));
    if (set === undefined) return done;
    const seen = await observe(key, set);
    if (seen === undefined) return done;
    let failure: KubeError | undefined;
    try {
      if ((await unseen.carryOut(kube, key, decideReplicaSet(seen))) !== undefined) return done;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      failure = error;
    }
    const status = replicaSetStatus(seen, failure?.message);
    if (!jsonEqual(status, set.status ?? {})) {
      await unseen.carryOut(kube, key, [updateStatus(replicaSet, { ...set, status })]);
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
