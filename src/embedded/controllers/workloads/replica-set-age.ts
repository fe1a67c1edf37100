/**
 * ReplicaSets by age, which decides where several would do.
 */

import { compareBytes } from '../../../base/json.ts';
import type { ReplicaSet } from '../../../kubernetes/types/index.ts';
import { msOf } from '../stamps.ts';

/** The oldest first. */
export function byAge(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.toSorted(compareAge);
}

export function compareAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const difference = (msOf(a.creationTimestamp) ?? 0) - (msOf(b.creationTimestamp) ?? 0);
  return difference === 0 ? compareBytes(a.name, b.name) : difference;
}
