/**
 * The sizes of the ReplicaSets of a Deployment: rolling update steps, Recreate, and proportional scaling.
 */
import type { Deployment, ReplicaSet } from '../../../kubernetes/types/index.ts';
import { amountOf } from './amounts.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './deployment-annotations.ts';
import { byAge, compareAge } from './replica-set-age.ts';

/** Sizes by the name of the set. Others are unchanged. */
export type Sizes = ReadonlyMap<string, number>;

const unchanged: Sizes = new Map();

export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

export function wantedReplicas({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

export function isRolling({ spec }: Deployment): boolean {
  return spec.strategy?.type !== 'Recreate';
}

export function maxSurgeOf(deployment: Deployment): number {
  return isRolling(deployment) ? limitsOf(deployment).surge : 0;
}

export function maxUnavailableOf(deployment: Deployment): number {
  const wanted = wantedReplicas(deployment);
  if (!isRolling(deployment) || wanted === 0) return 0;
  return Math.min(limitsOf(deployment).unavailable, wanted);
}

/** At least one must be above zero; rounding may have made both zero. */
function limitsOf(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const total = wantedReplicas(deployment);
  const surge = amountOf(maxSurge, { total, rounding: 'up' });
  const unavailable = amountOf(maxUnavailable, { total, rounding: 'down' });
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The size that the current set may have now. `sets` are all sets. */
export function grownSize(deployment: Deployment, current: ReplicaSet, sets: readonly ReplicaSet[]): number {
  const wanted = wantedReplicas(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurgeOf(deployment) - sum(sets.map(sizeOf));
  return room <= 0 ? sizeOf(current) : sizeOf(current) + Math.min(room, wanted - sizeOf(current));
}

/** The next step of a rolling update: scale up the new set, then scale down old ones. */
export function rollingSizes(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const wanted = wantedReplicas(deployment);
  const isSmall = sizeOf(current) < wanted;
  const size = isSmall ? grownSize(deployment, current, [...old, current]) : wanted;
  if (size !== sizeOf(current)) return new Map([[current.metadata.name, size]]);
  return shrunkSizes(
    deployment,
    current,
    byAge(old).filter((set) => sizeOf(set) > 0),
  );
}

function shrunkSizes(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const minAvailable = wantedReplicas(deployment) - maxUnavailableOf(deployment);
  // Unavailable pods of the new set do not allow the deletion of available old ones.
  const missing = sizeOf(current) - availableOf(current);
  const surplus = sum([...old, current].map(sizeOf)) - minAvailable - missing;
  if (surplus <= 0) return unchanged;
  const sizes = new Map<string, number>();
  // Unhealthy pods are deleted first: they serve nothing and might block the rollout.
  takeFrom(old, { sizes, count: surplus, available: (set) => sizeOf(set) - availableOf(set) });
  const available = sum([...old, current].map(availableOf));
  takeFrom(old, {
    sizes,
    count: available - minAvailable,
    available: (set) => sizes.get(set.metadata.name) ?? sizeOf(set),
  });
  return sizes;
}

type Taking = {
  readonly sizes: Map<string, number>;
  readonly count: number;
  /** How many pods of a set may be deleted. */
  readonly available: (set: ReplicaSet) => number;
};

function takeFrom(sets: readonly ReplicaSet[], { sizes, count, available }: Taking): void {
  let left = count;
  for (const set of sets) {
    const taken = Math.min(left, available(set));
    if (taken <= 0) continue;
    const { name } = set.metadata;
    sizes.set(name, (sizes.get(name) ?? sizeOf(set)) - taken);
    left -= taken;
  }
}

/** Whether the Deployment was scaled since its sets were. */
export function isBeingScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets
    .filter((set) => sizeOf(set) > 0)
    .map((set) => countIn(set, DESIRED_REPLICAS))
    .some((desired) => desired !== undefined && desired !== wantedReplicas(deployment));
}

/** A single active set gets all replicas; several are scaled proportionally. */
export function scaledSizes(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Sizes {
  const wanted = wantedReplicas(deployment);
  const sets = current === undefined ? old : [...old, current];
  const active = sets.filter((set) => sizeOf(set) > 0);
  const [only = current ?? byAge(old).at(-1), second] = active;
  if (second === undefined) return only === undefined ? unchanged : new Map([[only.metadata.name, wanted]]);
  if (current !== undefined && isSaturated(deployment, current)) {
    return new Map(old.filter((set) => sizeOf(set) > 0).map((set) => [set.metadata.name, 0]));
  }
  return isRolling(deployment) ? proportionalSizes(deployment, active) : unchanged;
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = wantedReplicas(deployment);
  return [sizeOf(set), countIn(set, DESIRED_REPLICAS), availableOf(set)].every((count) => count === wanted);
}

function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): Sizes {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted === 0 ? 0 : wanted + maxSurgeOf(deployment);
  const change = allowed - sum(active.map(sizeOf));
  // The largest first. Of equal ones, newer sets are scaled up first and older ones down.
  const sorted = active.toSorted(
    (a, b) => sizeOf(b) - sizeOf(a) || (change > 0 ? compareAge(b, a) : compareAge(a, b)),
  );
  const sizes = new Map<string, number>();
  let left = change;
  for (const set of sorted) {
    const share = shareOf(deployment, set);
    const part = change > 0 ? Math.min(share, left) : Math.max(share, left);
    sizes.set(set.metadata.name, sizeOf(set) + (change === 0 ? 0 : part));
    left -= change === 0 ? 0 : part;
  }
  const [largest] = sorted;
  if (largest !== undefined && left !== 0) {
    const { name } = largest.metadata;
    sizes.set(name, Math.max(0, (sizes.get(name) ?? 0) + left));
  }
  return sizes;
}

/** The proportional change of a set. */
function shareOf(deployment: Deployment, set: ReplicaSet): number {
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -sizeOf(set);
  const before = countIn(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((sizeOf(set) * (wanted + maxSurgeOf(deployment))) / before) - sizeOf(set);
}

/** A number in an annotation. */
function countIn({ metadata }: ReplicaSet, key: string): number | undefined {
  const text = metadata.annotations?.[key] ?? '';
  return /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}
