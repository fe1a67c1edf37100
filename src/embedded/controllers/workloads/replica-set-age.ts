/**
 * Order of ReplicaSets by age.
 */

import { compareBytes } from '../../../base/json.ts';
import { parseTimestamp } from '../../../base/text/index.ts';
import type { ReplicaSet } from '../../../kubernetes/types/index.ts';

/** Oldest first. */
export function byAge(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.toSorted(compareAge);
}

export function compareAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const difference = (parseTimestamp(a.creationTimestamp) ?? 0) - (parseTimestamp(b.creationTimestamp) ?? 0);
  return difference === 0 ? compareBytes(a.name, b.name) : difference;
}
