/**
 * Which pods are evicted from a node that is drained.
 *
 * All of them but static pods, which cannot be evicted, and pods of DaemonSets, which would be recreated on the node.
 * Priority, local data and missing controllers protect no pod.
 */

import { compareBytes } from '../base/json.ts';
import { objectsAt, optionalStringAt, stringAt } from '../base/json-fields.ts';
import { annotationOf, matchesSelector, nameOf, namespaceOf } from '../kubernetes/meta/index.ts';
import type { Pod, PodDisruptionBudget } from '../kubernetes/types/index.ts';

export type PodReference = { readonly namespace: string; readonly name: string; readonly uid: string };

export type DaemonSetLookup = (place: { readonly namespace: string; readonly name: string }) => boolean;

type PodsToMove = {
  /** To be evicted. */
  readonly staying: readonly PodReference[];
  /** Terminating: only to be waited for. */
  readonly leaving: readonly PodReference[];
};

/** Sorted by namespace and name, so that reports do not depend on the order of a cache. */
export function podsToMove(pods: Iterable<Pod>, daemonSetExists: DaemonSetLookup): PodsToMove {
  const moving = [...pods].filter((pod) => isEvicted(pod, daemonSetExists));
  const isLeaving = (pod: Pod) => optionalStringAt(pod.metadata, 'deletionTimestamp') !== undefined;
  return {
    staying: references(moving.filter((pod) => !isLeaving(pod))),
    leaving: references(moving.filter(isLeaving)),
  };
}

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

function isEvicted(pod: Pod, daemonSetExists: DaemonSetLookup): boolean {
  if (annotationOf(pod, MIRROR_ANNOTATION) !== undefined) return false;
  // A finished pod is not recreated by its controller.
  const phase = optionalStringAt(pod, 'status', 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  const controller = objectsAt(pod.metadata, 'ownerReferences').find((owner) => owner.controller === true);
  if (controller?.kind !== 'DaemonSet' || controller.apiVersion !== 'apps/v1') return true;
  const name = stringAt(controller, 'name');
  return !daemonSetExists({ namespace: namespaceOf(pod), name });
}

function references(pods: readonly Pod[]): readonly PodReference[] {
  return pods
    .map((pod) => ({
      namespace: namespaceOf(pod),
      name: nameOf(pod),
      uid: stringAt(pod.metadata, 'uid'),
    }))
    .sort((a, b) => compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name));
}

/** The names of the disruption budgets of the pod, separated by commas; `undefined` where it has none. */
export function budgetsOf(pod: Pod, budgets: Iterable<PodDisruptionBudget>): string | undefined {
  const names = [...budgets]
    .filter((budget) => isSelectedBy(pod, budget))
    .map(nameOf)
    .sort(compareBytes);
  return names.length === 0 ? undefined : names.join(', ');
}

export function isSelectedBy(pod: Pod, budget: PodDisruptionBudget): boolean {
  return (
    namespaceOf(budget) === namespaceOf(pod) && matchesSelector(budget.spec?.selector, pod.metadata?.labels)
  );
}

/** The fields of a pod that a drain reads: there may be thousands of pods, and their specs are large. */
export function podForDrain(pod: Pod): Pod {
  const { annotations: _, ...metadata } = pod.metadata;
  const mirror = annotationOf(pod, MIRROR_ANNOTATION);
  const phase = pod.status?.phase;
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    spec: { containers: [] },
    metadata: {
      ...metadata,
      ...(mirror === undefined ? {} : { annotations: { [MIRROR_ANNOTATION]: mirror } }),
    },
    ...(phase === undefined ? {} : { status: { phase } }),
  };
}
