/**
 * What a pod is doing, in the one word that people look for: `Running`, `CrashLoopBackOff`, `Init:1/2`.
 */

import { parseTimestamp } from '../../base/text/index.ts';
import { conditionStatus, itemsAt, numberAt, textAt, valueAt } from './fields.ts';

export type PodState = {
  readonly reason: string;
  readonly readyContainers: number;
  readonly containers: number;
  readonly restarts: Restarts;
};

export type Restarts = {
  readonly count: number;
  /** When what was restarted last had ended; nothing where nobody knows. */
  readonly lastMs: number | undefined;
};

export function podState(pod: unknown): PodState {
  const start = initialization(pod);
  const isInitialized = start.reason === undefined || conditionStatus(pod, 'Initialized') === 'True';
  const before = start.reason ?? reasonOfPod(pod);
  const main = isInitialized ? mainContainers(pod, before) : undefined;
  return {
    reason: reasonOfDeletion(pod) ?? main?.reason ?? before,
    readyContainers: start.readySidecars + (main?.ready ?? 0),
    containers: itemsAt(pod, 'spec', 'containers').length + sidecarsOf(pod).size,
    // Once the pod is initialized, what happened before does not count, but for what still runs beside it.
    restarts: main === undefined ? start.restarts : sum(start.sidecarRestarts, main.restarts),
  };
}

const NONE: Restarts = { count: 0, lastMs: undefined };

function sum(a: Restarts, b: Restarts): Restarts {
  const lastMs = Math.max(a.lastMs ?? Number.NEGATIVE_INFINITY, b.lastMs ?? Number.NEGATIVE_INFINITY);
  return { count: a.count + b.count, lastMs: Number.isFinite(lastMs) ? lastMs : undefined };
}

function restartsOf(container: unknown): Restarts {
  return {
    count: numberAt(container, 'restartCount'),
    lastMs: parseTimestamp(valueAt(container, 'lastState', 'terminated', 'finishedAt')),
  };
}

/** What the pod says of itself, before its containers are asked. */
function reasonOfPod(pod: unknown): string {
  const isGated = itemsAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'reason') === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

/** What stands over all else once the pod is to go. */
function reasonOfDeletion(pod: unknown): string | undefined {
  if (textAt(pod, 'metadata', 'deletionTimestamp') === '') return undefined;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const hasEnded = ['Failed', 'Succeeded'].includes(textAt(pod, 'status', 'phase'));
  return hasEnded ? undefined : 'Terminating';
}

/** The names of the init containers that go on running beside the others. */
function sidecarsOf(pod: unknown): ReadonlySet<string> {
  const sidecars = itemsAt(pod, 'spec', 'initContainers').filter(
    (container) => textAt(container, 'restartPolicy') === 'Always',
  );
  return new Set(sidecars.map((container) => textAt(container, 'name')));
}

type Initialization = {
  /** Why the pod is not initialized; nothing where it is, or where no init container says otherwise. */
  readonly reason: string | undefined;
  readonly readySidecars: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
};

/** Init containers run one after the other: the first that is not done says how far they are. */
function initialization(pod: unknown): Initialization {
  const sidecars = sidecarsOf(pod);
  let [restarts, sidecarRestarts, readySidecars] = [NONE, NONE, 0];
  for (const [index, container] of itemsAt(pod, 'status', 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(textAt(container, 'name'));
    restarts = sum(restarts, restartsOf(container));
    if (isSidecar) sidecarRestarts = sum(sidecarRestarts, restartsOf(container));
    const terminated = stateOf(container, 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && valueAt(container, 'started') === true) {
      if (valueAt(container, 'ready') === true) readySidecars++;
      continue;
    }
    const total = itemsAt(pod, 'spec', 'initContainers').length;
    const reason = `Init:${reasonOfInit(container) ?? `${index}/${total}`}`;
    return { reason, readySidecars, restarts, sidecarRestarts };
  }
  return { reason: undefined, readySidecars, restarts, sidecarRestarts };
}

function reasonOfInit(container: unknown): string | undefined {
  const terminated = stateOf(container, 'terminated');
  if (terminated !== undefined) return reasonOfEnd(terminated);
  const waiting = textAt(container, 'state', 'waiting', 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

type MainContainers = { readonly reason: string; readonly ready: number; readonly restarts: Restarts };

/** Of several containers that wait or have ended the first one counts. */
function mainContainers(pod: unknown, before: string): MainContainers {
  let [reason, ready, restarts] = [before, 0, NONE];
  for (const container of itemsAt(pod, 'status', 'containerStatuses').toReversed()) {
    restarts = sum(restarts, restartsOf(container));
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    const terminated = stateOf(container, 'terminated');
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) reason = reasonOfEnd(terminated);
    else if (valueAt(container, 'ready') === true && stateOf(container, 'running') !== undefined) ready++;
  }
  // One that has ended well does not say that the pod has, as long as another one runs.
  if (reason === 'Completed' && ready > 0) {
    reason = isReady(pod) ? 'Running' : 'NotReady';
  }
  return { reason, ready, restarts };
}

function reasonOfEnd(terminated: unknown): string {
  const signal = numberAt(terminated, 'signal');
  const number = signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
  return textAt(terminated, 'reason') || number;
}

function isReady(pod: unknown): boolean {
  return itemsAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
}

function stateOf(container: unknown, state: 'terminated' | 'running'): object | undefined {
  const value = valueAt(container, 'state', state);
  return typeof value === 'object' && value !== null ? value : undefined;
}
