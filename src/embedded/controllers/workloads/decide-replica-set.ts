/**
 * ReplicaSet: as many pods as wanted. Missing ones are made, the least useful of too many removed.
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
  /** Its pods that neither have ended nor are about to go. */
  readonly pods: readonly Pod[];
  /** Pods of all sets with the same owner. */
  readonly related: readonly Pod[];
  readonly nowMs: number;
};

/** No more are made or removed at once; the rest follows when these are seen. */
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

/** `failure`: what kept us from making or removing pods. */
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

/** When a pod that is ready has been so for long enough. */
export function nextReplicaSetLookMs({ set, pods, nowMs }: ReplicaSetSeen): number | undefined {
  return nextAvailableMs(pods, { minReadySeconds: set.spec.minReadySeconds, nowMs });
}

/** As Go leaves out what is zero. */
export function someOf<K extends string>(
  counts: {
    readonly [Name in K]: number;
  },
): { readonly [Name in K]?: number } {
  // Object.entries forgets the names, which are those that came in.
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as {
    readonly [Name in K]?: number;
  };
}

type Conditions = NonNullable<ReplicaSetStatus['conditions']>;

const FAILURE = 'ReplicaFailure';

/** A failure that is said already stays as it is until it is over. */
function failureConditions(
  { status }: ReplicaSet,
  failure: string | undefined,
  { nowMs, reason }: { readonly nowMs: number; readonly reason: string },
): Conditions {
  const conditions = status?.conditions ?? [];
  if (failure === undefined) return conditions.filter(({ type }) => type !== FAILURE);
  if (conditions.some(({ type }) => type === FAILURE)) return conditions;
  const said = {
    type: FAILURE,
    status: 'True',
    reason,
    message: failure,
    lastTransitionTime: formatTimestamp(nowMs),
  };
  return [...conditions, said];
}
