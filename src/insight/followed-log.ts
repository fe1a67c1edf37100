/**
 * Which log of a build is printed next: pods in the order of their creation, their containers in the order in which they run.
 */
import { compareBytes } from '../base/json.ts';
import { objectsAt, stringAt, valueAt } from '../base/json-fields.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { Pod } from '../kubernetes/types/index.ts';

type ContainerLog = { readonly pod: string; readonly container: string; readonly key: string };

/** The first that was started and is not in `printed`; undefined where there is none yet. */
export function nextLog(pods: readonly Pod[], printed: ReadonlySet<string>): ContainerLog | undefined {
  const logs = pods.toSorted(oldestFirst).flatMap((pod) =>
    statusesOf(pod)
      .filter(hasStarted)
      .map((status) => {
        const container = stringAt(status, 'name');
        return { pod: nameOf(pod), container, key: `${pod.metadata?.uid}/${container}` };
      }),
  );
  return logs.find(({ key }) => !printed.has(key));
}

function oldestFirst(a: Pod, b: Pod): number {
  const created = (pod: Pod) => stringAt(pod, 'metadata', 'creationTimestamp');
  return compareBytes(created(a), created(b)) || compareBytes(nameOf(a), nameOf(b));
}

function statusesOf(pod: Pod) {
  return [
    ...objectsAt(pod, 'status', 'initContainerStatuses'),
    ...objectsAt(pod, 'status', 'containerStatuses'),
  ];
}

function hasStarted(status: unknown): boolean {
  return ['running', 'terminated'].some((state) => valueAt(status, 'state', state) !== undefined);
}
