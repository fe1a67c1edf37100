/**
 * Why a node is not drained yet, in words: which pods are still there, and what keeps them.
 */
import type { PodReference } from './drain-pods.ts';
import type { DrainRecord, DrainRefusal } from './drain-record.ts';

/** More than this nobody reads, and the text has to fit into an annotation. */
const MAX_PODS = 5;
const TIMED_OUT = 'global timeout reached: 1m30s';

/** What the attempt failed of, at its end. */
export function drainError(
  left: { readonly staying: readonly PodReference[]; readonly leaving: readonly PodReference[] },
  { lastRefusal }: Pick<DrainRecord, 'lastRefusal'>,
): string {
  const texts = [
    ...left.staying.map((pod) => {
      const why = lastRefusal && isRefused(pod, lastRefusal) ? ` (${reasonOf(lastRefusal)})` : '';
      return `${evicting(pod.namespace, pod.name)}: ${TIMED_OUT}${why}`;
    }),
    ...left.leaving.map(
      ({ namespace, name }) =>
        `error when waiting for pod "${name}" in namespace "${namespace}" to terminate: ${TIMED_OUT}`,
    ),
  ];
  const more = texts.length - MAX_PODS;
  const shown = more > 0 ? [...texts.slice(0, MAX_PODS), `and ${more} more pods`] : texts;
  return shown.length === 1 ? shown.join('') : `[${shown.join(', ')}]`;
}

/** Whether the refusal is of this pod. */
export function isRefused(pod: PodReference, refusal: DrainRefusal): boolean {
  return refusal.namespace === pod.namespace && refusal.pod === pod.name;
}

/** What one eviction was refused with. */
export function refusalText(refusal: DrainRefusal): string {
  return `${evicting(refusal.namespace, refusal.pod)}: ${reasonOf(refusal)}`;
}

function reasonOf({ budget, message }: DrainRefusal): string {
  return budget === undefined ? message : `disruption budget ${budget}: ${message}`;
}

function evicting(namespace: string, name: string): string {
  return `error when evicting pods/"${name}" -n "${namespace}"`;
}
