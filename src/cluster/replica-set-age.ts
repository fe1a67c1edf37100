/**
 * ReplicaSets by age, which decides where several would do.
 */
import type { ReplicaSet } from '../builtin/index.ts';
import { compareBytes } from '../json.ts';
import { msOf } from './stamps.ts';

/** The oldest first. */
export function byAge(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.toSorted(compareAge);
}

export function compareAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const difference = (msOf(a.creationTimestamp) ?? 0) - (msOf(b.creationTimestamp) ?? 0);
  return difference === 0 ? compareBytes(a.name, b.name) : difference;
}
