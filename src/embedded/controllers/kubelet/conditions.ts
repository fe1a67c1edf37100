/**
 * The conditions of a pod, derived from its containers like by a kubelet.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../../kubernetes/types/index.ts';
import { isSidecar } from '../pod-resources.ts';

type ConditionInput = {
  readonly pod: Pod;
  readonly phase: PodStatus['phase'];
  readonly inits: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
  readonly nowMs: number;
};

type Finding = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Keeps conditions of other writers. A transition time changes only with the status. */
export function podConditions(input: ConditionInput): readonly PodCondition[] {
  const before = input.pod.status?.conditions ?? [];
  const found = findings(input);
  const types = new Set(found.map(({ type }) => type));
  const now = formatTimestamp(input.nowMs);
  return [
    ...found.map((finding): PodCondition => {
      const known = before.find(({ type }) => type === finding.type);
      const { status, reason, message } = finding;
      const isMoved = known?.status !== status;
      if (!isMoved && known.reason === reason && known.message === message) return known;
      const lastTransitionTime = (isMoved ? undefined : known.lastTransitionTime) ?? now;
      return { ...finding, lastProbeTime: null, lastTransitionTime };
    }),
    ...before.filter(({ type }) => !types.has(type)),
  ];
}

function findings(input: ConditionInput): readonly Finding[] {
  const ready = readiness(input);
  return [
    { type: 'PodReadyToStartContainers', status: hasSandbox(input) ? 'True' : 'False' },
    { type: 'Initialized', ...initialization(input) },
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', status: 'True' },
  ];
}

/** The pod sandbox exists while any container runs. */
function hasSandbox({ inits, containers }: ConditionInput): boolean {
  return [...inits, ...containers].some(({ state }) => state?.running !== undefined);
}

function initialization({ pod, phase, inits, containers }: ConditionInput): Omit<Finding, 'type'> {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const hasStarted = containers.some(
    ({ state, lastState }) => state?.waiting === undefined || lastState?.terminated !== undefined,
  );
  const incomplete = (pod.spec.initContainers ?? [])
    .filter((container) => {
      const status = inits.find(({ name }) => name === container.name);
      return isSidecar(container) ? status?.started !== true : status?.ready !== true;
    })
    .map(({ name }) => name);
  if (hasStarted || incomplete.length === 0) return { status: 'True' };
  return notTrue('ContainersNotInitialized', `containers with incomplete status: [${incomplete.join(' ')}]`);
}

function readiness({ pod, phase, inits, containers }: ConditionInput): Omit<Finding, 'type'> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const staying = new Set((pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const unready = [...inits.filter(({ name }) => staying.has(name)), ...containers]
    .filter(({ ready }) => !ready)
    .map(({ name }) => name);
  if (unready.length === 0) return { status: 'True' };
  return notTrue('ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`);
}

function notTrue(reason: string, message: string): Omit<Finding, 'type'> {
  return { status: 'False', reason, message };
}
