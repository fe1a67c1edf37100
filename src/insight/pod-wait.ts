/**
 * What the pod of a build waits for, in one line: a node with room for it, or its image. Failed attempts are counted.
 */
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { printableLine } from '../base/text/index.ts';
import { conditionOf, labelOf } from '../kubernetes/meta/index.ts';
import type { Pod } from '../kubernetes/types/index.ts';

/** Kubernetes' label of pods of a Job. */
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';

/** As many pods as the Job of a build creates: its `backoffLimit` is 3. */
const MAX_ATTEMPTS = 4;

/** Empty where there is nothing to tell. */
export function podWait(pods: readonly Pod[], build: string): string {
  const own = pods.filter((pod) => labelOf(pod, JOB_NAME_LABEL) === `build-${build}`);
  const failed = own.filter((pod) => stringAt(pod, 'status', 'phase') === 'Failed').length;
  const waits = own.filter((pod) => stringAt(pod, 'status', 'phase') === 'Pending').map(waitOf);
  // The last one may have failed before its Job says so.
  const hasNext = failed > 0 && failed < MAX_ATTEMPTS;
  const attempt = hasNext ? `attempt ${failed + 1} of ${MAX_ATTEMPTS}` : '';
  return [attempt, ...waits].filter((text) => text !== '').join(': ');
}

function waitOf(pod: Pod): string {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return textOf(scheduled.reason, scheduled.message);
  const containers = [
    ...objectsAt(pod, 'status', 'initContainerStatuses'),
    ...objectsAt(pod, 'status', 'containerStatuses'),
  ];
  const waiting = containers
    .map((container) => ({
      reason: stringAt(container, 'state', 'waiting', 'reason'),
      message: stringAt(container, 'state', 'waiting', 'message'),
    }))
    // The usual states of a pod that is about to start.
    .find(({ reason }) => reason !== '' && reason !== 'PodInitializing' && reason !== 'ContainerCreating');
  return waiting === undefined ? '' : textOf(waiting.reason, waiting.message);
}

function textOf(reason: string, message: string): string {
  return printableLine([reason, message].filter((text) => text !== '').join(': '));
}
