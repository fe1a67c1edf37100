/**
 * The status of a Deployment: counts over its ReplicaSets, Available and Progressing.
 */

import { formatTimestamp, parseTimestamp } from '../../../base/text/index.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { someOf } from './decide-replica-set.ts';
import { maxUnavailableOf, sizeOf, wantedReplicas } from './deployment-sizes.ts';

type DeploymentView = {
  readonly deployment: Deployment;
  /** The set with the current template, even if it is only about to be created. */
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** Whether the current set is new. */
  readonly isCreating: boolean;
  /** Whether a rollout is in progress. */
  readonly isRollout: boolean;
  readonly nowMs: number;
};

export type DeploymentCondition = NonNullable<DeploymentStatus['conditions']>[number];

const PROGRESSING = 'Progressing';
const FAILURE = 'ReplicaFailure';
const MAX_INT32 = 2 ** 31 - 1;

export function deploymentStatus(view: DeploymentView): DeploymentStatus {
  const { deployment, current, old } = view;
  const sets = current === undefined ? old : [...old, current];
  const total = (count: (set: ReplicaSet) => number | undefined): number =>
    sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);
  const availableReplicas = total(({ status }) => status?.availableReplicas);
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: total(({ status }) => status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, total(sizeOf) - availableReplicas),
  };
  const { collisionCount } = deployment.status ?? {};
  return {
    ...someOf(counts),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: conditionsOf(view, counts),
  };
}

/** The end of the progress deadline; undefined if the rollout is complete or has none. */
export function stuckAtMs({ spec }: Deployment, { conditions = [] }: DeploymentStatus): number | undefined {
  const progress = conditions.find(({ type }) => type === PROGRESSING);
  const seconds = spec.progressDeadlineSeconds;
  const hasEnded = progress?.reason === 'NewReplicaSetAvailable' || progress?.reason === TIMED_OUT;
  if (progress === undefined || hasEnded || seconds === undefined || seconds === MAX_INT32) return undefined;
  const updatedMs = parseTimestamp(progress.lastUpdateTime);
  return updatedMs === undefined ? undefined : updatedMs + seconds * 1000;
}

type Counts = {
  readonly [Name in
    | 'observedGeneration'
    | 'replicas'
    | 'updatedReplicas'
    | 'readyReplicas'
    | 'availableReplicas']: number;
};
type ConditionUpdate = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

function conditionsOf(view: DeploymentView, counts: Counts): readonly DeploymentCondition[] {
  const { deployment, nowMs } = view;
  const isEnough = counts.availableReplicas >= wantedReplicas(deployment) - maxUnavailableOf(deployment);
  const before = withBeginning(view);
  const available = withCondition(before, isEnough ? AVAILABLE : UNAVAILABLE, nowMs);
  if (!view.isRollout) return available;
  return withFailures(withProgress(available, view, counts), view);
}

/** Conditions independent of counts: paused, resumed, and the name of the new set. */
function withBeginning({
  deployment,
  current,
  isCreating,
  nowMs,
}: DeploymentView): readonly DeploymentCondition[] {
  const conditions = deployment.status?.conditions ?? [];
  if (!hasDeadline(deployment)) return conditions;
  const reason = conditions.find(({ type }) => type === PROGRESSING)?.reason;
  const isPaused = deployment.spec.paused === true;
  const paused =
    reason !== TIMED_OUT && isPaused !== (reason === PAUSED.reason)
      ? withCondition(conditions, isPaused ? PAUSED : RESUMED, nowMs)
      : conditions;
  if (current === undefined) return paused;
  const { name } = current.metadata;
  if (isCreating) {
    return withCondition(paused, moving('NewReplicaSetCreated', `Created new replica set "${name}"`), nowMs);
  }
  return paused.some(({ type }) => type === PROGRESSING)
    ? paused
    : withCondition(paused, moving('FoundNewReplicaSet', `Found new replica set "${name}"`), nowMs);
}

function withProgress(
  conditions: readonly DeploymentCondition[],
  { deployment, current, nowMs }: DeploymentView,
  counts: Counts,
): readonly DeploymentCondition[] {
  if (!hasDeadline(deployment)) return conditions.filter(({ type }) => type !== PROGRESSING);
  const progress = conditions.find(({ type }) => type === PROGRESSING);
  const wasAvailable = progress?.reason === 'NewReplicaSetAvailable';
  if (wasAvailable && counts.replicas === counts.updatedReplicas) return conditions;
  const who =
    current === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${current.metadata.name}"`;
  if (isComplete(deployment, counts)) {
    const update = moving('NewReplicaSetAvailable', `${who} has successfully progressed.`);
    return withCondition(conditions, update, nowMs);
  }
  if (hasMoved(deployment, counts)) {
    // Updated each time, since the deadline counts from here.
    const update = moving('ReplicaSetUpdated', `${who} is progressing.`);
    return [...conditions.filter(({ type }) => type !== PROGRESSING), conditionOf(update, progress, nowMs)];
  }
  const stuckMs = stuckAtMs(deployment, { conditions });
  if (stuckMs === undefined || stuckMs >= nowMs) return conditions;
  const message = `${who} has timed out progressing.`;
  return withCondition(conditions, { type: PROGRESSING, status: 'False', reason: TIMED_OUT, message }, nowMs);
}

/** Copies the ReplicaFailure condition of a set. */
function withFailures(
  conditions: readonly DeploymentCondition[],
  { current, old, nowMs }: DeploymentView,
): readonly DeploymentCondition[] {
  const failure = [...(current === undefined ? [] : [current]), ...old]
    .flatMap(({ status }) => status?.conditions ?? [])
    .find(({ type }) => type === FAILURE);
  if (failure === undefined) return conditions.filter(({ type }) => type !== FAILURE);
  const before = conditions.find(({ type }) => type === FAILURE);
  if (before?.status === failure.status && before.reason === failure.reason) return conditions;
  const lastUpdateTime = failure.lastTransitionTime ?? formatTimestamp(nowMs);
  return [...conditions.filter(({ type }) => type !== FAILURE), { ...failure, lastUpdateTime }];
}

/** Whether all pods are available and have the current template. */
export function isComplete(deployment: Deployment, status: Partial<Counts>): boolean {
  const wanted = wantedReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === wanted) &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

function hasMoved({ status = {} }: Deployment, counts: Counts): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  return (
    counts.updatedReplicas > updatedReplicas ||
    counts.replicas - counts.updatedReplicas < replicas - updatedReplicas ||
    counts.readyReplicas > readyReplicas ||
    counts.availableReplicas > availableReplicas
  );
}

function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== MAX_INT32;
}

/** Unchanged if status and reason are the same. A changed condition moves to the end. */
function withCondition(
  conditions: readonly DeploymentCondition[],
  update: ConditionUpdate,
  nowMs: number,
): readonly DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === update.type);
  if (before?.status === update.status && before.reason === update.reason) return conditions;
  return [...conditions.filter(({ type }) => type !== update.type), conditionOf(update, before, nowMs)];
}

function conditionOf(
  update: ConditionUpdate,
  before: DeploymentCondition | undefined,
  nowMs: number,
): DeploymentCondition {
  const now = formatTimestamp(nowMs);
  const lastTransitionTime = before?.status === update.status ? (before.lastTransitionTime ?? now) : now;
  return { ...update, lastUpdateTime: now, lastTransitionTime };
}

function moving(reason: string, message: string): ConditionUpdate {
  return { type: PROGRESSING, status: 'True', reason, message };
}

const TIMED_OUT = 'ProgressDeadlineExceeded';
const PAUSED = {
  type: PROGRESSING,
  status: 'Unknown',
  reason: 'DeploymentPaused',
  message: 'Deployment is paused',
} as const;
const RESUMED = {
  type: PROGRESSING,
  status: 'Unknown',
  reason: 'DeploymentResumed',
  message: 'Deployment is resumed',
} as const;
const AVAILABLE = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
} as const;
const UNAVAILABLE = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
} as const;
