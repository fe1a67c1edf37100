/**
 * The STATUS column of pods: `Running`, `CrashLoopBackOff`, `Init:1/2`.
 */

import { listAt, numberAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { parseTimestamp } from '../../base/text/index.ts';
import { conditionStatus } from './fields.ts';

export type PodState = {
  readonly reason: string;
  readonly readyContainers: number;
  readonly containers: number;
  readonly restarts: Restarts;
};

export type Restarts = {
  readonly count: number;
  /** The time of the last restart; undefined if unknown. */
  readonly lastMs: number | undefined;
};

export function podState(pod: unknown): PodState {
  const start = initialization(pod);
  const isInitialized = start.reason === undefined || conditionStatus(pod, 'Initialized') === 'True';
  const before = start.reason ?? podReason(pod);
  const main = isInitialized ? mainContainers(pod, before) : undefined;
  return {
    reason: deletionReason(pod) ?? main?.reason ?? before,
    readyContainers: start.readySidecars + (main?.ready ?? 0),
    containers: listAt(pod, 'spec', 'containers').length + sidecarsOf(pod).size,
    // Once the pod is initialized, restarts of init containers do not count, except for sidecars.
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

/** The reason in the status of the pod, before its containers are considered. */
function podReason(pod: unknown): string {
  const isGated = listAt(pod, 'status', 'conditions').some(
    (one) => stringAt(one, 'type') === 'PodScheduled' && stringAt(one, 'reason') === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return stringAt(pod, 'status', 'reason') || stringAt(pod, 'status', 'phase');
}

/** Takes precedence over everything else when the pod is being deleted. */
function deletionReason(pod: unknown): string | undefined {
  if (stringAt(pod, 'metadata', 'deletionTimestamp') === '') return undefined;
  if (stringAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const hasFinished = ['Failed', 'Succeeded'].includes(stringAt(pod, 'status', 'phase'));
  return hasFinished ? undefined : 'Terminating';
}

/** The names of the restartable init containers (sidecars). */
function sidecarsOf(pod: unknown): ReadonlySet<string> {
  const sidecars = listAt(pod, 'spec', 'initContainers').filter(
    (container) => stringAt(container, 'restartPolicy') === 'Always',
  );
  return new Set(sidecars.map((container) => stringAt(container, 'name')));
}

type Initialization = {
  /** Why the pod is not initialized; undefined if it is, or if no init container determines it. */
  readonly reason: string | undefined;
  readonly readySidecars: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
};

/** Init containers run one after the other: the first unfinished one determines the state. */
function initialization(pod: unknown): Initialization {
  const sidecars = sidecarsOf(pod);
  let [restarts, sidecarRestarts, readySidecars] = [NONE, NONE, 0];
  for (const [index, container] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(stringAt(container, 'name'));
    restarts = sum(restarts, restartsOf(container));
    if (isSidecar) sidecarRestarts = sum(sidecarRestarts, restartsOf(container));
    const terminated = stateOf(container, 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && valueAt(container, 'started') === true) {
      if (valueAt(container, 'ready') === true) readySidecars++;
      continue;
    }
    const total = listAt(pod, 'spec', 'initContainers').length;
    const reason = `Init:${initReason(container) ?? `${index}/${total}`}`;
    return { reason, readySidecars, restarts, sidecarRestarts };
  }
  return { reason: undefined, readySidecars, restarts, sidecarRestarts };
}

function initReason(container: unknown): string | undefined {
  const terminated = stateOf(container, 'terminated');
  if (terminated !== undefined) return terminationReason(terminated);
  const waiting = stringAt(container, 'state', 'waiting', 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

type MainContainers = { readonly reason: string; readonly ready: number; readonly restarts: Restarts };

/** The first of several waiting or terminated containers determines the reason. */
function mainContainers(pod: unknown, before: string): MainContainers {
  let [reason, ready, restarts] = [before, 0, NONE];
  for (const container of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    restarts = sum(restarts, restartsOf(container));
    const waiting = stringAt(container, 'state', 'waiting', 'reason');
    const terminated = stateOf(container, 'terminated');
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) reason = terminationReason(terminated);
    else if (valueAt(container, 'ready') === true && stateOf(container, 'running') !== undefined) ready++;
  }
  // A completed container does not make the pod completed while another one runs.
  if (reason === 'Completed' && ready > 0) {
    reason = isReady(pod) ? 'Running' : 'NotReady';
  }
  return { reason, ready, restarts };
}

function terminationReason(terminated: unknown): string {
  const signal = numberAt(terminated, 'signal');
  const number = signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
  return stringAt(terminated, 'reason') || number;
}

function isReady(pod: unknown): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (one) => stringAt(one, 'type') === 'Ready' && stringAt(one, 'status') === 'True',
  );
}

function stateOf(container: unknown, state: 'terminated' | 'running'): object | undefined {
  const value = valueAt(container, 'state', state);
  return typeof value === 'object' && value !== null ? value : undefined;
}
