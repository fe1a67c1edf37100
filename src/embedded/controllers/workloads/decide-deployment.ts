/**
 * Deployment: its ReplicaSets and their sizes. One step at a time: the next is decided once this one is observed.
 */

import { jsonEqual } from '../../../base/json.ts';
import type { Deployment, Pod, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { deployment as deploymentResource, replicaSet } from '../../../kubernetes/types/index.ts';
import { create, remove, update, updateStatus, type Write } from '../writes.ts';
import { REVISION } from './deployment-annotations.ts';
import {
  currentSet,
  newSet,
  nextRevision,
  outdatedSets,
  renewedSet,
  sizeAnnotations,
} from './deployment-sets.ts';
import {
  grownSize,
  isBeingScaled,
  isRolling,
  rollingSizes,
  type Sizes,
  scaledSizes,
  sizeOf,
  wantedReplicas,
} from './deployment-sizes.ts';
import { deploymentStatus, isComplete, stuckAtMs } from './deployment-status.ts';
import { controllerOf } from './ownership.ts';
import { hasEnded } from './pod-state.ts';

export type DeploymentSeen = {
  readonly deployment: Deployment;
  /** Its ReplicaSets. */
  readonly sets: readonly ReplicaSet[];
  /** All pods of these sets. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
};

type DeploymentDecision = {
  readonly writes: readonly Write[];
  /** When the progress deadline ends. */
  readonly lookAgainMs: number | undefined;
};

export function decideDeployment(seen: DeploymentSeen): DeploymentDecision {
  const { deployment, sets, nowMs } = seen;
  const present = currentSet(deployment, sets);
  const old = sets.filter((set) => set !== present);
  const step = stepOf(seen, present, old);
  const current = step.creates ?? present;
  const view = { deployment, current, old, isCreating: step.creates !== undefined, nowMs };
  const status = deploymentStatus({ ...view, isRollout: step.isRollout });
  const stuckMs = step.isRollout ? stuckAtMs(deployment, status) : undefined;
  // With its new revision, in case the template is reused by a rollback.
  const renewed = step.changes.find(({ metadata }) => metadata.uid === present?.metadata.uid) ?? current;
  return {
    writes: [
      ...(step.creates === undefined ? [] : [create(replicaSet, step.creates)]),
      ...step.changes.map((set) => update(replicaSet, set)),
      ...step.removes.map((set) => remove(replicaSet, set)),
      ...statusWrites(withRevisionOf(deployment, renewed), deployment, status),
    ],
    lookAgainMs: stuckMs === undefined ? undefined : Math.max(0, stuckMs - nowMs) + 1000,
  };
}

type Step = {
  readonly creates?: ReplicaSet;
  readonly changes: readonly ReplicaSet[];
  readonly removes: readonly ReplicaSet[];
  readonly isRollout: boolean;
};

function stepOf(seen: DeploymentSeen, current: ReplicaSet | undefined, old: readonly ReplicaSet[]): Step {
  const { deployment, sets } = seen;
  const isPaused = deployment.spec.paused === true;
  if (deployment.metadata.deletionTimestamp !== undefined) return { ...nothing, isRollout: false };
  const isScaled = isPaused || isBeingScaled(deployment, sets);
  const sizes = isScaled ? scaledSizes(deployment, current, old) : undefined;
  if (isPaused || (sizes !== undefined && sizes.size > 0)) {
    return {
      changes: changesOf(seen, current, { sizes: sizes ?? new Map(), isSizeNoted: true }),
      removes: isPaused ? outdatedSets(deployment, old) : [],
      isRollout: false,
    };
  }
  return isRolling(deployment) ? rollingStep(seen, current, old) : recreateStep(seen, current, old);
}

const nothing = { changes: [], removes: [] };

function rollingStep(
  seen: DeploymentSeen,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Step {
  if (current === undefined) return creatingStep(seen, old);
  const sizes = rollingSizes(seen.deployment, current, old);
  return finishingStep(seen, current, old, sizes);
}

/** Recreate: all old pods are deleted before new ones are created. */
function recreateStep(
  seen: DeploymentSeen,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Step {
  const { deployment } = seen;
  const active = old.filter((set) => sizeOf(set) > 0);
  if (active.length > 0) {
    const sizes = new Map(active.map((set) => [set.metadata.name, 0]));
    return { ...nothing, changes: changesOf(seen, current, { sizes }), isRollout: true };
  }
  if (hasOldPods(seen, current, old)) {
    return { ...nothing, changes: changesOf(seen, current, { sizes: new Map() }), isRollout: true };
  }
  if (current === undefined) return creatingStep(seen, old);
  const sizes = new Map([[current.metadata.name, wantedReplicas(deployment)]]);
  return finishingStep(seen, current, old, sizes);
}

function hasOldPods(
  { pods }: DeploymentSeen,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): boolean {
  const isCounted = old.some(({ status }) => (status?.replicas ?? 0) > 0);
  const currentUid = current?.metadata.uid;
  return isCounted || pods.some((pod) => controllerOf(pod)?.uid !== currentUid && !hasEnded(pod));
}

function creatingStep({ deployment }: DeploymentSeen, old: readonly ReplicaSet[]): Step {
  const empty = newSet(deployment, nextRevision(old));
  const replicas = grownSize(deployment, empty, [...old, empty]);
  const creates = { ...empty, spec: { ...empty.spec, replicas } };
  return { ...nothing, creates, isRollout: true };
}

/** Deletes old sets after a completed rollout. */
function finishingStep(
  seen: DeploymentSeen,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
  sizes: Sizes,
): Step {
  const { deployment } = seen;
  const isDone = [...old, current].every(
    (set) => (sizes.get(set.metadata.name) ?? sizeOf(set)) === sizeOf(set),
  );
  return {
    changes: changesOf(seen, current, { sizes }),
    removes: isDone && isComplete(deployment, deployment.status ?? {}) ? outdatedSets(deployment, old) : [],
    isRollout: true,
  };
}

type Changes = {
  readonly sizes: Sizes;
  /** Whether the replica annotations are updated even if the size is unchanged. */
  readonly isSizeNoted?: boolean;
};

function changesOf(
  { deployment, sets }: DeploymentSeen,
  current: ReplicaSet | undefined,
  { sizes, isSizeNoted = false }: Changes,
): readonly ReplicaSet[] {
  const revision = nextRevision(sets.filter((set) => set !== current));
  return sets.flatMap((set) => {
    const renewed = set === current ? renewedSet(set, deployment, revision) : set;
    const size = sizes.get(set.metadata.name);
    const isSized = size !== undefined && (isSizeNoted || size !== sizeOf(set));
    const changed = isSized ? resized(renewed, deployment, size) : renewed;
    return jsonEqual(changed, set) ? [] : [changed];
  });
}

function resized(set: ReplicaSet, deployment: Deployment, replicas: number): ReplicaSet {
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
  return { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } };
}

/** Sets the revision annotation of the Deployment. */
function withRevisionOf(deployment: Deployment, current: ReplicaSet | undefined): Deployment {
  const revision = current?.metadata.annotations?.[REVISION];
  const { metadata } = deployment;
  if (revision === undefined || metadata.annotations?.[REVISION] === revision) return deployment;
  return {
    ...deployment,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [REVISION]: revision } },
  };
}

function statusWrites(
  renewed: Deployment,
  deployment: Deployment,
  status: ReturnType<typeof deploymentStatus>,
): readonly Write[] {
  if (renewed === deployment && jsonEqual(status, deployment.status ?? {})) return [];
  return [updateStatus(deploymentResource, { ...renewed, status })];
}
