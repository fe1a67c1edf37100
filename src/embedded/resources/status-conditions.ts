/**
 * Conditions of a status, one per type.
 */

import type { Json, JsonObject } from '../../base/json.ts';
import { listAt, objectsAt, stringAt } from '../../base/json-fields.ts';

/** Replaces the condition of the same type, or appends it. `lastTransitionTime` changes only with `status`. */
export function withCondition(status: JsonObject, condition: JsonObject): readonly Json[] {
  const before = objectsAt(status, 'conditions');
  const index = before.findIndex((one) => stringAt(one, 'type') === stringAt(condition, 'type'));
  const old = before[index];
  if (old === undefined) return [...listAt(status, 'conditions'), condition];
  const isSame = stringAt(old, 'status') === stringAt(condition, 'status');
  const time = isSame ? (old.lastTransitionTime ?? null) : (condition.lastTransitionTime ?? null);
  return before.map((one, at) => (at === index ? { ...condition, lastTransitionTime: time } : one));
}
