/** The disruption controller: maintains the status of PodDisruptionBudgets. */

import { jsonEqual } from '../../../base/json.ts';
import {
  type AnyObject,
  after,
  type Cache,
  type Controller,
  done,
  type Enqueue,
  type Next,
} from '../../../kubernetes/client/index.ts';
import { matchesSelector } from '../../../kubernetes/meta/index.ts';
import {
  type Deployment,
  deployment,
  type Pod,
  type PodDisruptionBudget,
  pod,
  podDisruptionBudget,
  type ReplicaSet,
  replicaSet,
} from '../../../kubernetes/types/index.ts';
import { Expectations } from '../expectations.ts';
import { keyOf, objectKeyOf } from '../object-keys.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { updateStatus } from '../writes.ts';
import { decideDisruptionBudget, type Scale } from './decide-disruption-budget.ts';
import { byNamespace } from './follow-owned.ts';
import { controllerOf } from './ownership.ts';

type BudgetContext = Pick<WorkloadContext, 'kube' | 'env' | 'settings'> & {
  readonly budgets: Cache<PodDisruptionBudget>;
  readonly pods: Cache<Pod>;
  readonly sets: Cache<ReplicaSet>;
  readonly deployments: Cache<Deployment>;
  readonly expectations: Expectations;
};

export function createDisruptionBudgetController(dependencies: WorkloadContext): Controller {
  const { kube, caches, env, settings } = dependencies;
  const budgets = caches.of(podDisruptionBudget, { indexes: byNamespace });
  const pods = caches.of(pod, { indexes: byNamespace });
  const sets = caches.of(replicaSet);
  const deployments = caches.of(deployment);
  const expectations = new Expectations({ clock: env.clock, timeoutMs: settings.expectationTimeoutMs });
  expectations.track(podDisruptionBudget, budgets);
  const context: BudgetContext = { kube, env, settings, budgets, pods, sets, deployments, expectations };

  return {
    name: 'disruption',
    workers: 2,
    caches: [budgets, pods, sets, deployments],
    watch: (enqueue) => enqueueChangedBudgets(context, enqueue),
    reconcile: (key) => reconcile(context, key),
  };
}

function enqueueChangedBudgets({ budgets, pods, sets, deployments }: BudgetContext, enqueue: Enqueue): void {
  const enqueueAll = ({ metadata }: AnyObject): void => {
    for (const budget of budgets.by('namespace', metadata.namespace ?? '')) enqueue(keyOf(budget));
  };
  const enqueueSelecting = ({ metadata }: AnyObject): void => {
    for (const budget of budgets.by('namespace', metadata.namespace ?? '')) {
      if (matchesSelector(budget.spec.selector, metadata.labels)) enqueue(keyOf(budget));
    }
  };
  budgets.onChange(({ before, after: shown }) => {
    const budget = shown ?? before;
    if (budget !== undefined) enqueue(keyOf(budget));
  });
  pods.onChange(({ before, after: shown }) => {
    if (before !== undefined) enqueueSelecting(before);
    if (shown !== undefined) enqueueSelecting(shown);
  });
  for (const cache of [sets, deployments]) {
    cache.onChange(({ before, after: shown }) => {
      const owner = shown ?? before;
      if (owner !== undefined && before?.spec.replicas !== shown?.spec.replicas) enqueueAll(owner);
    });
  }
}

async function reconcile(context: BudgetContext, key: string): Promise<Next> {
  const { kube, env, settings, budgets, pods, expectations } = context;
  const pending = expectations.pending(key);
  if (pending !== undefined) return pending;
  const budget = budgets.get(objectKeyOf(key));
  if (budget === undefined) return done;
  const { namespace = '' } = budget.metadata;
  const { status, lookAgainMs } = decideDisruptionBudget({
    budget,
    pods: pods
      .by('namespace', namespace)
      .filter(({ metadata }) => matchesSelector(budget.spec.selector, metadata.labels)),
    scaleOf: (one) => scaleOf(context, one),
    nowMs: env.clock.now(),
    evictionLimitMs: settings.evictionLimitMs,
  });
  if (!jsonEqual(status, budget.status ?? {})) {
    // The server updates the status when it allows evictions; a conflict is decided again.
    await expectations.carryOut(kube, key, [updateStatus(podDisruptionBudget, { ...budget, status })]);
  }
  return lookAgainMs === undefined ? done : after(lookAgainMs, 'a disrupted pod may time out');
}

/** The scale of the ReplicaSet of a pod, or of the Deployment that owns the set. */
function scaleOf({ sets, deployments }: BudgetContext, one: Pod): Scale {
  const { namespace = '', name } = one.metadata;
  const reference = controllerOf(one);
  const unknown = { kind: 'unknown', why: `found no controllers for pod "${name}"` } as const;
  if (reference === undefined) return unknown;
  const kindWithoutScale = WITHOUT_SCALE[reference.kind];
  if (kindWithoutScale !== undefined) {
    return { kind: 'unknown', why: `${kindWithoutScale} does not implement the scale subresource` };
  }
  const set = sets.get({ name: reference.name, namespace });
  if (reference.kind !== replicaSet.kind || set?.metadata.uid !== reference.uid) return unknown;
  const owner = controllerOf(set);
  if (owner?.kind !== deployment.kind) {
    return { kind: 'known', uid: reference.uid, replicas: set.spec.replicas ?? 1 };
  }
  const found = deployments.get({ name: owner.name, namespace });
  if (found?.metadata.uid !== owner.uid) return unknown;
  return { kind: 'known', uid: owner.uid, replicas: found.spec.replicas ?? 1 };
}

/** Controllers without a scale. */
const WITHOUT_SCALE: { readonly [kind: string]: string | undefined } = {
  DaemonSet: 'daemonsets.apps',
  Job: 'jobs.batch',
};
