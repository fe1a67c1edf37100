/** The DaemonSet controller: one pod per eligible node. */

import { jsonEqual } from '../../../base/json.ts';
import { after, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
import { type DaemonSet, daemonSet, node, pod } from '../../../kubernetes/types/index.ts';
import { Expectations } from '../expectations.ts';
import { keyOf, objectKeyOf } from '../object-keys.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { decideDaemonSet } from './decide-daemon-set.ts';
import { byNamespace, followOwned } from './follow-owned.ts';
import { byController, candidatesFor, claimDependents } from './ownership.ts';

export function createDaemonSetController({ kube, caches, env, settings }: WorkloadContext): Controller {
  const indexes = { ...byController, ...byNamespace };
  const sets = caches.of(daemonSet, { indexes });
  const pods = caches.of(pod, { indexes });
  const nodes = caches.of(node);
  const expectations = new Expectations({ clock: env.clock, timeoutMs: settings.expectationTimeoutMs });
  expectations.track(daemonSet, sets);
  expectations.track(pod, pods);

  async function reconcile(key: string): Promise<Next> {
    const pending = expectations.pending(key);
    if (pending !== undefined) return pending;
    const set = sets.get(objectKeyOf(key));
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return done;
    const claimed = await claimDependents(
      kube,
      { resource: daemonSet, owner: set, selector: set.spec.selector },
      { resource: pod, candidates: candidatesFor(pods, set) },
    );
    if (claimed === undefined) return done;
    const { writes, lookAgainMs } = decideDaemonSet({
      set,
      pods: claimed.owned,
      nodes: [...nodes.all()],
      nowMs: env.clock.now(),
      failedPodMs: settings.failedDaemonPodMs,
    });
    await expectations.carryOut(kube, key, [...claimed.writes, ...writes]);
    return lookAgainMs === undefined ? done : after(lookAgainMs, 'a pod becomes available or replaceable');
  }

  return {
    name: 'daemonset',
    workers: 2,
    caches: [sets, pods, nodes],
    watch: (enqueue) => {
      followOwned(pods, { resource: daemonSet, cache: sets, selectorOf }, enqueue);
      nodes.onChange(({ before, after: shown }) => {
        // Ignores heartbeats.
        const isSame =
          before !== undefined &&
          shown !== undefined &&
          jsonEqual(before.metadata.labels, shown.metadata.labels) &&
          jsonEqual(before.spec.taints, shown.spec.taints);
        if (isSame) return;
        for (const set of sets.all()) enqueue(keyOf(set));
      });
    },
    reconcile,
  };
}

function selectorOf({ spec }: DaemonSet) {
  return spec.selector;
}
