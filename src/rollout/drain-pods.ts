/**
 * Which pods have to leave a node that is drained.
 *
 * All of them, with two exceptions: pods that the kubelet runs from a file, which nobody can evict, and pods of DaemonSets,
 * which would come straight back. Priority, local data and missing controllers protect no pod.
 */

import { compareBytes } from '../base/json.ts';
import { objectsAt, optionalStringAt, stringAt } from '../base/json-fields.ts';
import { annotationOf, matchesSelector, nameOf, namespaceOf } from '../kubernetes/meta/index.ts';
import type { Pod, PodDisruptionBudget } from '../kubernetes/types/index.ts';

export type PodReference = { readonly namespace: string; readonly name: string; readonly uid: string };

/** Whether there is such a DaemonSet. */
export type DaemonSetLookup = (place: { readonly namespace: string; readonly name: string }) => boolean;

type PodsToMove = {
  /** To be evicted; nobody has told them to go yet. */
  readonly staying: readonly PodReference[];
  /** On their way out: only to be waited for. */
  readonly leaving: readonly PodReference[];
};

/** In the order of namespaces and names, so that what is reported does not depend on the order of a cache. */
export function podsToMove(pods: Iterable<Pod>, daemonSetExists: DaemonSetLookup): PodsToMove {
  const moving = [...pods].filter((pod) => hasToLeave(pod, daemonSetExists));
  const isLeaving = (pod: Pod) => optionalStringAt(pod.metadata, 'deletionTimestamp') !== undefined;
  return {
    staying: references(moving.filter((pod) => !isLeaving(pod))),
    leaving: references(moving.filter(isLeaving)),
  };
}

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

function hasToLeave(pod: Pod, daemonSetExists: DaemonSetLookup): boolean {
  if (annotationOf(pod, MIRROR_ANNOTATION) !== undefined) return false;
  // A pod that has ended comes back nowhere, whoever made it.
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

/** The names of the disruption budgets that guard the pod, separated by commas; `undefined` where none does. */
export function budgetsOf(pod: Pod, budgets: Iterable<PodDisruptionBudget>): string | undefined {
  const names = [...budgets]
    .filter((budget) => isGuardedBy(pod, budget))
    .map(nameOf)
    .sort(compareBytes);
  return names.length === 0 ? undefined : names.join(', ');
}

export function isGuardedBy(pod: Pod, budget: PodDisruptionBudget): boolean {
  return (
    namespaceOf(budget) === namespaceOf(pod) && matchesSelector(budget.spec?.selector, pod.metadata?.labels)
  );
}

/** Of a pod all that a drain reads. What it runs is most of it, and there may be thousands of them. */
export function podForDrain(pod: Pod): Pod {
  const { annotations: _, ...metadata } = pod.metadata;
  const mirror = annotationOf(pod, MIRROR_ANNOTATION);
  const phase = pod.status?.phase;
  return {
    ...{ apiVersion: pod.apiVersion, kind: pod.kind, spec: { containers: [] } },
    metadata: {
      ...metadata,
      ...(mirror === undefined ? {} : { annotations: { [MIRROR_ANNOTATION]: mirror } }),
    },
    ...(phase === undefined ? {} : { status: { phase } }),
  };
}
