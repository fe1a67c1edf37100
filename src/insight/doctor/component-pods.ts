/**
 * The pods of Millwright's own components, and what keeps a pod from running.
 */
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { conditionOf, labelOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import { type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import { since } from '../timestamp.ts';
import type { Facts } from './facts.ts';
import { conditionFields } from './objects.ts';

export function componentPods({ snapshot, namespace }: Facts, app: string): readonly Pod[] {
  return snapshot
    .all(podKind)
    .filter((pod) => namespaceOf(pod) === namespace && labelOf(pod, 'k8s-app') === app);
}

export type PodProblem = { readonly field: string; readonly value: string; readonly since?: string };

/** Reasons of a container that is about to start. */
const STARTING: ReadonlySet<string> = new Set(['', 'PodInitializing', 'ContainerCreating']);

/** Undefined for a pod that is ready, or about to start. */
export function podProblem(pod: Pod): PodProblem | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') {
    const value = [scheduled.reason, scheduled.message].filter((text) => text !== '').join(': ');
    return {
      field: 'status.conditions[PodScheduled]',
      value: `False: ${value}`,
      ...since(conditionFields(pod, 'PodScheduled')?.lastTransitionTime),
    };
  }
  for (const list of ['initContainerStatuses', 'containerStatuses']) {
    for (const container of objectsAt(pod, 'status', list)) {
      const name = stringAt(container, 'name');
      const reason = stringAt(container, 'state', 'waiting', 'reason');
      const message = stringAt(container, 'state', 'waiting', 'message');
      if (!STARTING.has(reason)) {
        const value = [reason, message].filter((text) => text !== '').join(': ');
        return { field: `status.${list}[${name}].state.waiting`, value };
      }
    }
  }
  const phase = stringAt(pod, 'status', 'phase');
  const why = [stringAt(pod, 'status', 'reason'), stringAt(pod, 'status', 'message')].filter(
    (one) => one !== '',
  );
  if (phase === 'Failed') return { field: 'status.phase', value: [phase, ...why].join(': ') };
  return undefined;
}

export function isPodReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}
