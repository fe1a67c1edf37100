/**
 * Why the pods of a build failed, in one line.
 *
 * The build program ends with the cause as its last line, which Kubernetes keeps as the termination message of the
 * container. Pods that never ran have other reasons.
 */
import { compareBytes } from '../../base/json.ts';
import { objectsAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { printableLine } from '../../base/text/index.ts';
import type { Pod } from '../../kubernetes/types/index.ts';

const MAX_CAUSE_CHARS = 500;
const MAX_STEP_CHARS = 200;

/** Of the last pod that failed; undefined where none has. */
export function podFailure(pods: readonly Pod[]): string | undefined {
  const [last] = pods
    .filter((pod) => stringAt(pod, 'status', 'phase') === 'Failed')
    .sort((a, b) => compareBytes(createdAt(b), createdAt(a)));
  if (last === undefined) return undefined;
  return shortened(containerFailure(last) ?? podReason(last));
}

function createdAt(pod: Pod): string {
  return stringAt(pod, 'metadata', 'creationTimestamp');
}

function containerFailure(pod: Pod): string | undefined {
  const containers = [
    ...objectsAt(pod, 'status', 'initContainerStatuses'),
    ...objectsAt(pod, 'status', 'containerStatuses'),
  ];
  for (const container of containers) {
    const exitCode = valueAt(container, 'state', 'terminated', 'exitCode');
    if (typeof exitCode !== 'number' || exitCode === 0) continue;
    const message = lastLine(stringAt(container, 'state', 'terminated', 'message'));
    const name = stringAt(container, 'name');
    return message === '' ? `container ${name} exited with code ${exitCode}` : message;
  }
  return undefined;
}

/** `Evicted: The node was low on resource: ephemeral-storage.` */
function podReason(pod: Pod): string {
  const reason = stringAt(pod, 'status', 'reason');
  const message = stringAt(pod, 'status', 'message');
  return [reason, message].filter((text) => text !== '').join(': ') || 'its pod failed';
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

/** The step is at the beginning, the cause at the end. */
function shortened(text: string): string {
  const line = printableLine(text);
  if (line.length <= MAX_CAUSE_CHARS) return line;
  return `${line.slice(0, MAX_STEP_CHARS)} … ${line.slice(MAX_STEP_CHARS - MAX_CAUSE_CHARS)}`;
}
