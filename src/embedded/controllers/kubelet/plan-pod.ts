/**
 * The next action of a simulated kubelet for a pod, decided from its status and the time alone.
 */

import { unreachable } from '../../../base/errors.ts';
import { formatTimestamp } from '../../../base/text/index.ts';
import type { ContainerStatus, PodStatus } from '../../../kubernetes/types/index.ts';
import { isSidecar } from '../pod-resources.ts';
import { podConditions } from './conditions.ts';
import { type ContainerContext, type End, ended, endedAndWaiting, running, waiting } from './containers.ts';
import {
  crashRetryMs,
  crashText,
  endsByItself,
  exitCodeOf,
  podEndMs,
  podRunMs,
  readyDelayMs,
  startDelayMs,
} from './durations.ts';
import type { ContainerOutcome, PodContext, PodExecution } from './pod-step.ts';

export type PodEvent = { readonly reason: string; readonly message: string; readonly isWarning?: boolean };

export type PodPlan = {
  /** Undefined if unchanged. */
  readonly status?: PodStatus;
  /** Whether the pod has terminated and can be removed. */
  readonly isGone?: boolean;
  readonly events?: readonly PodEvent[];
  /** When to reconcile again. */
  readonly waitMs?: number;
};

export function planPod(scene: PodContext): PodPlan {
  switch (scene.step.kind) {
    case 'new':
      return take(scene);
    case 'initialising':
      return initialise(scene);
    case 'starting':
      return afterDelay(scene, startDelayMs(scene), start);
    case 'running':
      return keepRunning(scene);
    case 'resting':
      return afterDelay(scene, crashRetryMs(scene), start);
    case 'rebooted':
      return startOver(scene);
    case 'ending':
      return end(scene);
    case 'ended':
      return {};
    case 'removable':
      return { isGone: true };
    default:
      return unreachable(scene.step.kind);
  }
}

/** The kubelet accepts the pod. */
function take(scene: PodContext): PodPlan {
  const { pod, nowMs, hostIP } = scene;
  const { initContainers = [], containers } = pod.spec;
  const reason = initContainers.length === 0 ? 'ContainerCreating' : 'PodInitializing';
  const status = statusWith(scene, {
    phase: 'Pending',
    inits: initContainers.map((container) => waiting(container, 'PodInitializing')),
    containers: containers.map((container) => waiting(container, reason)),
  });
  return { status: { ...status, startTime: formatTimestamp(nowMs), hostIP, hostIPs: [{ ip: hostIP }] } };
}

/** Init containers in sequence; sidecars only have to be started. */
function initialise(scene: PodContext): PodPlan {
  const { step, settings } = scene;
  const isRunning = step.inits[step.initIndex]?.state?.running !== undefined;
  if (!isRunning) return afterDelay(scene, startDelayMs(scene), (now) => startInits(now, now.step.inits));
  if (scene.execution !== undefined) return afterExecutedInit(scene, scene.execution);
  return afterDelay(scene, settings.podInitMs, (now) => {
    const inits = now.step.inits.map((status, index) =>
      index === now.step.initIndex ? { ...ended(status, COMPLETED, now), ready: true } : status,
    );
    return startInits(now, inits);
  });
}

/** An init container that is a process: its exit code decides. */
function afterExecutedInit(scene: PodContext, execution: PodExecution): PodPlan {
  const { step } = scene;
  const outcome = execution(step.inits[step.initIndex]?.name ?? '');
  if (outcome.kind === 'running') return {};
  const how = endOf(outcome);
  const inits = step.inits.map((status, index) =>
    index === step.initIndex ? { ...ended(status, how, scene), ready: outcome.exitCode === 0 } : status,
  );
  if (outcome.exitCode === 0) return startInits(scene, inits);
  // Pods of Jobs that run processes are never restarted in place: the Job makes another one.
  return { status: statusWith(scene, { phase: 'Failed', inits, containers: step.containers }) };
}

function endOf({ exitCode, message }: Extract<ContainerOutcome, { readonly kind: 'ended' }>): End {
  if (exitCode === 0) return COMPLETED;
  return { exitCode, reason: 'Error', ...(message === undefined ? {} : { message }) };
}

/** Starts the next init containers: sidecars, up to and including the first that has to complete. */
function startInits(scene: PodContext, before: readonly ContainerStatus[]): PodPlan {
  const { initContainers = [] } = scene.pod.spec;
  const inits: ContainerStatus[] = [];
  const events: PodEvent[] = [];
  let isHeld = false;
  for (const [index, container] of initContainers.entries()) {
    const status = before[index] ?? waiting(container, 'PodInitializing');
    const isDone = status.state?.waiting === undefined;
    inits.push(
      isDone || isHeld ? status : running(status, containerContext(scene), { isReady: isSidecar(container) }),
    );
    if (!isDone && !isHeld) events.push(...startEvents(status));
    if (!isDone && !isSidecar(container)) isHeld = true;
  }
  return {
    status: withAddress(scene, { phase: 'Pending', inits, containers: scene.step.containers }),
    events,
  };
}

function start(scene: PodContext): PodPlan {
  const { step, settings } = scene;
  const containers = step.containers.map((status) => {
    const isReady = readyDelayMs(scene.pod, status.name, settings) === 0;
    return running(status, containerContext(scene), { isReady });
  });
  const status = withAddress(scene, { phase: 'Running', inits: step.inits, containers });
  return { status, events: step.containers.flatMap(startEvents) };
}

/** Containers become ready, and those of a Job complete. */
function keepRunning(scene: PodContext): PodPlan {
  const { pod, step, nowMs, sinceMs, settings } = scene;
  if (scene.execution !== undefined) return afterExecution(scene, scene.execution);
  if (isSettled(scene)) return {};
  const ranMs = nowMs - sinceMs;
  if (endsByItself(pod) && ranMs >= podRunMs(pod, settings)) return endByItself(scene);
  const containers = step.containers.map((status): ContainerStatus => {
    const isReady = status.ready || ranMs >= readyDelayMs(pod, status.name, settings);
    return isReady === status.ready ? status : { ...status, ready: isReady };
  });
  // Also resets a pod that the node lifecycle controller marked as not ready.
  const status = statusWith(scene, { phase: 'Running', inits: step.inits, containers });
  const waits = [
    ...containers.filter(({ ready }) => !ready).map(({ name }) => readyDelayMs(pod, name, settings)),
    ...(endsByItself(pod) ? [podRunMs(pod, settings)] : []),
  ];
  const next = waits.length === 0 ? {} : { waitMs: Math.max(0, Math.min(...waits) - ranMs) };
  return { status, ...next };
}

function afterExecution(scene: PodContext, execution: PodExecution): PodPlan {
  const { step } = scene;
  const outcomes = step.containers.map(({ name }) => execution(name));
  const containers = step.containers.map((status, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'ended' ? ended(status, endOf(outcome), scene) : status;
  });
  const isOver = outcomes.every(({ kind }) => kind === 'ended');
  const isSuccess = outcomes.every((outcome) => outcome.kind === 'ended' && outcome.exitCode === 0);
  const phase = !isOver ? 'Running' : isSuccess ? 'Succeeded' : 'Failed';
  return { status: statusWith(scene, { phase, inits: step.inits, containers }) };
}

/** Nothing will change, which is true of most pods most of the time. */
function isSettled({ pod, step }: PodContext): boolean {
  const { phase, conditions = [] } = pod.status ?? {};
  return (
    phase === 'Running' &&
    !endsByItself(pod) &&
    step.containers.every(({ ready }) => ready) &&
    conditions.filter(({ type, status }) => TRUE_OF_SETTLED.has(type) && status === 'True').length ===
      TRUE_OF_SETTLED.size
  );
}

const TRUE_OF_SETTLED: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);

const COMPLETED: End = { exitCode: 0, reason: 'Completed' };

function endByItself(scene: PodContext): PodPlan {
  const { pod, step } = scene;
  const exitCode = exitCodeOf(pod);
  const how: End = exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' };
  const over = step.containers.map((status) => ended(status, how, scene));
  const { restartPolicy = 'Always' } = pod.spec;
  if (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)) {
    const containers = over.map((status) =>
      endedAndWaiting(status, { reason: 'CrashLoopBackOff', message: crashText(scene, status) }),
    );
    const events = containers.map(({ name }) => ({
      reason: 'BackOff',
      message: `Back-off restarting failed container ${name} in pod ${pod.metadata.name}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid ?? ''})`,
      isWarning: true,
    }));
    return { status: statusWith(scene, { phase: 'Running', inits: step.inits, containers }), events };
  }
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  return { status: statusWith(scene, { phase, inits: step.inits, containers: over }) };
}

/** After a reboot all containers are gone. A pod with restartPolicy Never has failed. */
function startOver(scene: PodContext): PodPlan {
  const { pod, step } = scene;
  const lost = (status: ContainerStatus): ContainerStatus =>
    status.state?.running === undefined ? status : ended(status, { exitCode: 255, reason: 'Unknown' }, scene);
  const over = step.containers.map(lost);
  if (pod.spec.restartPolicy === 'Never') {
    return { status: statusWith(scene, { phase: 'Failed', inits: step.inits.map(lost), containers: over }) };
  }
  const hasInits = step.inits.length > 0;
  const status = statusWith(scene, {
    phase: hasInits ? 'Pending' : 'Running',
    inits: step.inits.map((init) => endedAndWaiting(lost(init), { reason: 'PodInitializing' })),
    containers: over.map((container) =>
      endedAndWaiting(container, { reason: hasInits ? 'PodInitializing' : 'ContainerCreating' }),
    ),
  });
  const { podIP: _, podIPs: __, ...withoutAddress } = status;
  const message = 'Pod sandbox changed, it will be killed and re-created.';
  return { status: withoutAddress, events: [{ reason: 'SandboxChanged', message }] };
}

/** Containers that exceed the grace period are killed. Those that never ran have an unknown status. */
function end(scene: PodContext): PodPlan {
  const { pod, step, isFirstLook } = scene;
  const isRunning = ({ state }: ContainerStatus): boolean => state?.running !== undefined;
  const hasRun = [...step.containers, ...step.inits].some(isRunning);
  const { endMs, isKilled } = hasRun ? podEndMs(pod, scene.settings) : { endMs: 0, isKilled: false };
  const how: End = isKilled ? { exitCode: 137, reason: 'Error' } : COMPLETED;
  const over = (status: ContainerStatus): ContainerStatus => {
    const last = status.lastState?.terminated;
    if (isRunning(status)) return ended(status, how, scene);
    const isResting = status.state?.waiting !== undefined && last !== undefined;
    return isResting
      ? { ...status, state: { terminated: last }, lastState: {} }
      : ended(status, NEVER_FOUND, scene);
  };
  const events = step.containers
    .filter((status) => isFirstLook && isRunning(status))
    .map(({ name }) => ({ reason: 'Killing', message: `Stopping container ${name}` }));
  const plan = afterDelay(scene, endMs, () => {
    const containers = step.containers.map(over);
    const phase = containers.every(({ state }) => state?.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed';
    const inits = step.inits.map((status) => (status.state?.waiting === undefined ? over(status) : status));
    const isGone = (pod.metadata.deletionGracePeriodSeconds ?? 0) > 0;
    return { status: statusWith(scene, { phase, inits, containers }), isGone };
  });
  return { ...plan, events };
}

const NEVER_FOUND: End = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
};

function afterDelay(scene: PodContext, delayMs: number, then: (scene: PodContext) => PodPlan): PodPlan {
  const waitMs = scene.sinceMs + delayMs - scene.nowMs;
  return waitMs > 0 ? { waitMs } : then(scene);
}

type Containers = {
  readonly phase: NonNullable<PodStatus['phase']>;
  readonly inits: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
};

function statusWith({ pod, nowMs }: PodContext, { phase, inits, containers }: Containers): PodStatus {
  return {
    ...pod.status,
    phase,
    conditions: podConditions({ pod, phase, inits, containers, nowMs }),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits }),
    containerStatuses: containers,
  };
}

/** The address belongs to the sandbox, which exists from the first container on. */
function withAddress(scene: PodContext, containers: Containers): PodStatus {
  const { pod, hostIP, freeIP } = scene;
  const podIP = pod.spec.hostNetwork === true ? hostIP : (pod.status?.podIP ?? freeIP());
  return { ...statusWith(scene, containers), podIP, podIPs: [{ ip: podIP }] };
}

function containerContext({ pod, boot, nowMs }: PodContext): ContainerContext {
  return { podUid: pod.metadata.uid ?? '', boot, nowMs };
}

function startEvents({ name, image }: ContainerStatus): readonly PodEvent[] {
  return [
    { reason: 'Pulled', message: `Container image "${image}" already present on machine` },
    { reason: 'Created', message: `Created container: ${name}` },
    { reason: 'Started', message: `Started container ${name}` },
  ];
}
