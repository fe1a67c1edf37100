/**
 * Validation of replica counts in the status of workloads.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectAt, optionalNumberAt } from '../../../base/json-fields.ts';
import { invalid, negativeProblems } from '../field-problems.ts';

export function countProblems(object: JsonObject, fields: readonly string[]): readonly Problem[] {
  const status = objectAt(object, 'status');
  return fields.flatMap((field) => negativeProblems(`status.${field}`, optionalNumberAt(status, field)));
}

/** `parts`: counts that cannot exceed `replicas`. Available replicas are also ready. */
export function partProblems(object: JsonObject, parts: readonly string[]): readonly Problem[] {
  const status = objectAt(object, 'status');
  const count = (field: string): number => numberAt(status, field);
  const exceeds = (field: string, whole: string, name: string): readonly Problem[] =>
    count(field) > count(whole)
      ? [invalid(`status.${field}`, String(count(field)), `cannot be greater than ${name}`)]
      : [];
  return [
    ...parts.flatMap((part) => exceeds(part, 'replicas', 'status.replicas')),
    ...exceeds('availableReplicas', 'readyReplicas', 'readyReplicas'),
  ];
}

/** `collisionCount` never decreases. */
export function collisionProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const before = optionalNumberAt(old, 'status', 'collisionCount');
  const now = numberAt(object, 'status', 'collisionCount');
  if (before === undefined || now >= before) return [];
  return [invalid('status.collisionCount', String(now), 'cannot be decremented')];
}
