/**
 * The error messages of a drain: which pods are left on the node, and why.
 */
import { formatGoDuration } from '../base/text/index.ts';
import type { PodReference } from './drain-pods.ts';
import type { DrainRecord, DrainRefusal } from './drain-record.ts';
import type { DrainSettings } from './drain-settings.ts';

/** The message has to fit into an annotation. */
const MAX_PODS = 5;

/** Why an attempt failed, at its end. */
export function drainError(
  left: { readonly staying: readonly PodReference[]; readonly leaving: readonly PodReference[] },
  { lastRefusal }: Pick<DrainRecord, 'lastRefusal'>,
  { attemptMs }: Pick<DrainSettings, 'attemptMs'>,
): string {
  const timedOut = `global timeout reached: ${formatGoDuration(attemptMs)}`;
  const texts = [
    ...left.staying.map((pod) => {
      const why = lastRefusal && isRefused(pod, lastRefusal) ? ` (${reasonOf(lastRefusal)})` : '';
      return `${evicting(pod.namespace, pod.name)}: ${timedOut}${why}`;
    }),
    ...left.leaving.map(
      ({ namespace, name }) =>
        `error when waiting for pod "${name}" in namespace "${namespace}" to terminate: ${timedOut}`,
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

/** The error of a refused eviction. */
export function refusalText(refusal: DrainRefusal): string {
  return `${evicting(refusal.namespace, refusal.pod)}: ${reasonOf(refusal)}`;
}

function reasonOf({ budget, message }: DrainRefusal): string {
  return budget === undefined ? message : `disruption budget ${budget}: ${message}`;
}

function evicting(namespace: string, name: string): string {
  return `error when evicting pods/"${name}" -n "${namespace}"`;
}
