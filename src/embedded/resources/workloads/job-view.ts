/**
 * A job for the validation of its status: spec, status and the conditions that are true.
 */

import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { objectAt, objectsAt, stringAt, valueAt } from '../../../base/json-fields.ts';

export type JobView = {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly conditions: ReadonlyMap<string, string>;
};

export function jobOf(object: JsonObject): JobView {
  const status = objectAt(object, 'status') ?? {};
  const conditions = new Map<string, string>();
  for (const condition of objectsAt(status, 'conditions')) {
    const [type, value] = [stringAt(condition, 'type'), stringAt(condition, 'status')];
    if (value === 'True' || !conditions.has(type)) conditions.set(type, value);
  }
  return { spec: objectAt(object, 'spec') ?? {}, status, conditions };
}

/** Whether the condition is true. */
export function holds(job: JobView, type: string): boolean {
  return job.conditions.get(type) === 'True';
}

export function isFinished(job: JobView): boolean {
  return holds(job, 'Complete') || holds(job, 'Failed');
}

/** Whether any of these has changed: conditions (capitalised names) or fields of the status. */
export function hasChanged(job: JobView, before: JobView, ...what: readonly string[]): boolean {
  return what.some((name) =>
    /^[A-Z]/.test(name)
      ? holds(job, name) !== holds(before, name)
      : !jsonEqual(valueAt(job.status, name) ?? null, valueAt(before.status, name) ?? null),
  );
}

/** `2024-01-02T03:04:05Z` as Go prints a time. */
export function shownTime(text: string): string {
  return text.replace('T', ' ').replace('Z', ' +0000 UTC');
}
