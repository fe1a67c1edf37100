/**
 * ReplicaSet: creates missing pods, and deletes surplus ones in order of least value.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Pod, ReplicaSet, ReplicaSetStatus } from '../../../kubernetes/types/index.ts';
import { pod as podResource, replicaSet } from '../../../kubernetes/types/index.ts';
import { create, remove, type Write } from '../writes.ts';
import { controllerReference } from './ownership.ts';
import { podFromTemplate } from './pod-from-template.ts';
import { isAvailable, isReady, nextAvailableMs } from './pod-state.ts';
import { podsToRemove } from './pods-to-remove.ts';

export type ReplicaSetSeen = {
  readonly set: ReplicaSet;
  /** Its active pods. */
  readonly pods: readonly Pod[];
  /** Pods of all sets of the same owner. */
  readonly related: readonly Pod[];
  readonly nowMs: number;
};

/** Limit of creations and deletions per reconcile; the rest follows once these are observed. */
export const BURST = 500;

export function decideReplicaSet({ set, pods, related, nowMs }: ReplicaSetSeen): readonly Write[] {
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const missing = (set.spec.replicas ?? 1) - pods.length;
  if (missing > 0) {
    const made = podFromTemplate(set, set.spec.template, controllerReference(replicaSet, set));
    return Array.from({ length: Math.min(missing, BURST) }, () => create(podResource, made));
  }
  const count = Math.min(-missing, BURST);
  return podsToRemove({ pods, count, related, nowMs }).map((one) => remove(podResource, one));
}

/** `failure`: why pods could not be created or deleted. */
export function replicaSetStatus(
  { set, pods, nowMs }: ReplicaSetSeen,
  failure: string | undefined,
): ReplicaSetStatus {
  const { template, minReadySeconds, replicas = 1 } = set.spec;
  const labels = Object.entries(template.metadata?.labels ?? {});
  const count = (counts: (one: Pod) => boolean): number => pods.filter(counts).length;
  const conditions = failureConditions(set, failure, {
    nowMs,
    reason: pods.length < replicas ? 'FailedCreate' : 'FailedDelete',
  });
  return {
    replicas: pods.length,
    ...someOf({
      fullyLabeledReplicas: count(({ metadata }) =>
        labels.every(([key, value]) => metadata.labels?.[key] === value),
      ),
      readyReplicas: count(isReady),
      availableReplicas: count((one) => isAvailable(one, { minReadySeconds, nowMs })),
      observedGeneration: set.metadata.generation ?? 0,
    }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** When the next ready pod becomes available. */
export function nextReplicaSetLookMs({ set, pods, nowMs }: ReplicaSetSeen): number | undefined {
  return nextAvailableMs(pods, { minReadySeconds: set.spec.minReadySeconds, nowMs });
}

/** Omits zeros like Go's omitempty. */
export function someOf<K extends string>(
  counts: {
    readonly [Name in K]: number;
  },
): { readonly [Name in K]?: number } {
  // Object.entries loses the key type.
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as {
    readonly [Name in K]?: number;
  };
}

type Conditions = NonNullable<ReplicaSetStatus['conditions']>;

const FAILURE = 'ReplicaFailure';

/** An existing ReplicaFailure condition is kept until it is resolved. */
function failureConditions(
  { status }: ReplicaSet,
  failure: string | undefined,
  { nowMs, reason }: { readonly nowMs: number; readonly reason: string },
): Conditions {
  const conditions = status?.conditions ?? [];
  if (failure === undefined) return conditions.filter(({ type }) => type !== FAILURE);
  if (conditions.some(({ type }) => type === FAILURE)) return conditions;
  const condition = {
    type: FAILURE,
    status: 'True',
    reason,
    message: failure,
    lastTransitionTime: formatTimestamp(nowMs),
  };
  return [...conditions, condition];
}
