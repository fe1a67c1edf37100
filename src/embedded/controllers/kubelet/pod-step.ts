/**
 * The lifecycle step of a pod on a simulated node, derived from its status.
 *
 *     new ──> initialising ──> starting ──> running ──> ended ──> (removed, where it was deleted)
 *                  ^              ^          │  │ ^
 *                  └── rebooted <─┼──────────┘  v │
 *                                 └─────────  resting
 *
 * and `ending` from every step once the pod is being deleted.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { ContainerStatus, Pod } from '../../../kubernetes/types/index.ts';
import type { NodeSettings } from '../node-settings.ts';
import { isSidecar } from '../pod-resources.ts';
import { hasEnded } from '../workloads/pod-state.ts';
import { isOfBoot, statusesOf } from './containers.ts';

export type PodStep = {
  readonly kind:
    | 'new'
    | 'initialising'
    | 'starting'
    | 'running'
    /** A container is in CrashLoopBackOff. */
    | 'resting'
    /** Its containers are of an earlier boot and no longer run. */
    | 'rebooted'
    | 'ending'
    | 'ended'
    /** Terminated and deleted. */
    | 'removable';
  readonly inits: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
  /** The next init container, while initialising. */
  readonly initIndex: number;
};

/** A pod with its step and environment. */
export type PodContext = {
  readonly pod: Pod;
  readonly step: PodStep;
  readonly nowMs: number;
  /** Start of the step. */
  readonly sinceMs: number;
  /** Whether this is the first reconcile in this step. */
  readonly isFirstLook: boolean;
  /** The boot digits of the machine. */
  readonly boot: string;
  readonly hostIP: string;
  /** An address for a pod without one. */
  readonly freeIP: () => string;
  readonly settings: NodeSettings;
  /** Of a pod whose containers are real processes; absent for simulated ones. */
  readonly execution?: PodExecution;
};

/** What became of a container that was started. */
export type PodExecution = (container: string) => ContainerOutcome;

export type ContainerOutcome =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly message?: string };

export function podStep(pod: Pod, boot: string): PodStep {
  const { spec, status } = pod;
  const inits = statusesOf(spec.initContainers ?? [], status?.initContainerStatuses);
  const containers = statusesOf(spec.containers, status?.containerStatuses);
  const initIndex = nextInit(pod, inits);
  return { kind: kindOf(pod, { inits, containers, initIndex }, boot), inits, containers, initIndex };
}

/** Distinguishes repeated steps of the same kind. */
export function stepKey({ kind, inits, containers, initIndex }: PodStep): string {
  const init = inits[initIndex];
  const isInitRunning = init?.state?.running !== undefined;
  const restarts = [...containers, ...inits].reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [kind, kind === 'initialising' ? `${initIndex} ${isInitRunning}` : '', restarts].join(' ');
}

/** Start of the step, to the second. */
export function stepBeganMs(pod: Pod, step: PodStep): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  switch (step.kind) {
    case 'ending': {
      const endMs = parseTimestamp(deletionTimestamp);
      return endMs === undefined ? undefined : endMs - deletionGracePeriodSeconds * 1000;
    }
    case 'running':
      return parseTimestamp(step.containers[0]?.state?.running?.startedAt);
    case 'resting':
      return parseTimestamp(step.containers[0]?.lastState?.terminated?.finishedAt);
    case 'initialising':
      return (
        parseTimestamp(step.inits[step.initIndex]?.state?.running?.startedAt) ??
        parseTimestamp(pod.status?.startTime)
      );
    default:
      return parseTimestamp(pod.status?.startTime);
  }
}

function kindOf(pod: Pod, step: Omit<PodStep, 'kind'>, boot: string): PodStep['kind'] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const isDeleted = deletionTimestamp !== undefined;
  if (hasEnded(pod)) return isDeleted && deletionGracePeriodSeconds > 0 ? 'removable' : 'ended';
  if (isDeleted) return 'ending';
  if (pod.status?.startTime === undefined) return 'new';
  const { inits, containers, initIndex } = step;
  if ([...inits, ...containers].some((status) => runs(status) && !isOfBoot(status, boot))) return 'rebooted';
  if (initIndex < inits.length) return 'initialising';
  if (containers.every(runs)) return 'running';
  const hasRun = containers.some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff');
  return hasRun ? 'resting' : 'starting';
}

function nextInit({ spec: { initContainers = [] } }: Pod, inits: readonly ContainerStatus[]): number {
  const index = initContainers.findIndex((container, at) => {
    const status = inits[at];
    return isSidecar(container) ? status?.started !== true : status?.state?.terminated?.exitCode !== 0;
  });
  return index < 0 ? initContainers.length : index;
}

function runs({ state }: ContainerStatus): boolean {
  return state?.running !== undefined;
}
