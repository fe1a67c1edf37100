/**
 * Where a pod is in its life on a simulated node, as its status tells.
 *
 *     new ──> initialising ──> starting ──> running ──> ended ──> (removed, where it was deleted)
 *                  ^              ^          │  │ ^
 *                  └── rebooted <─┼──────────┘  v │
 *                                 └─────────  resting
 *
 * and `ending` from everywhere once somebody has asked the pod to go.
 */

import { parseTimestamp } from '../../../base/text/index.ts';
import type { ContainerStatus, Pod } from '../../../kubernetes/types/index.ts';
import type { NodeSettings } from '../node-settings.ts';
import { runsBeside } from '../pod-resources.ts';
import { hasEnded } from '../workloads/pod-state.ts';
import { isOfBoot, statusesOf } from './containers.ts';

export type PodStep = {
  readonly kind:
    | 'new'
    | 'initialising'
    | 'starting'
    | 'running'
    /** A container has ended and waits for its next start. */
    | 'resting'
    /** What ran before the machine booted does not run any more. */
    | 'rebooted'
    | 'ending'
    | 'ended'
    /** Ended and deleted: nobody needs it any more. */
    | 'removable';
  readonly inits: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
  /** Which init container is next, while initialising. */
  readonly initIndex: number;
};

/** A pod, where it is in its life, and what is known around it. */
export type PodContext = {
  readonly pod: Pod;
  readonly step: PodStep;
  readonly nowMs: number;
  /** When the step began. */
  readonly sinceMs: number;
  /** Whether nobody has looked at the pod in this step before. */
  readonly isFirstLook: boolean;
  /** What stands for the boot of the machine. */
  readonly boot: string;
  readonly hostIP: string;
  /** The address that the pod gets where it has none yet. */
  readonly freeIP: () => string;
  readonly settings: NodeSettings;
};

export function podStep(pod: Pod, boot: string): PodStep {
  const { spec, status } = pod;
  const inits = statusesOf(spec.initContainers ?? [], status?.initContainerStatuses);
  const containers = statusesOf(spec.containers, status?.containerStatuses);
  const initIndex = nextInit(pod, inits);
  return { kind: kindOf(pod, { inits, containers, initIndex }, boot), inits, containers, initIndex };
}

/** Tells steps apart, where the same kind of step comes more than once. */
export function stepKey({ kind, inits, containers, initIndex }: PodStep): string {
  const init = inits[initIndex];
  const isInitRunning = init?.state?.running !== undefined;
  const restarts = [...containers, ...inits].reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [kind, kind === 'initialising' ? `${initIndex} ${isInitRunning}` : '', restarts].join(' ');
}

/** When the step began, to the second. */
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
    return runsBeside(container) ? status?.started !== true : status?.state?.terminated?.exitCode !== 0;
  });
  return index < 0 ? initContainers.length : index;
}

function runs({ state }: ContainerStatus): boolean {
  return state?.running !== undefined;
}
