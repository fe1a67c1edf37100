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

export function jobViewOf(object: JsonObject): JobView {
  const status = objectAt(object, 'status') ?? {};
  const conditions = new Map<string, string>();
  for (const condition of objectsAt(status, 'conditions')) {
    const [type, value] = [stringAt(condition, 'type'), stringAt(condition, 'status')];
    if (value === 'True' || !conditions.has(type)) conditions.set(type, value);
  }
  return { spec: objectAt(object, 'spec') ?? {}, status, conditions };
}

/** Whether the condition is true. */
export function isTrue(job: JobView, type: string): boolean {
  return job.conditions.get(type) === 'True';
}

export function isFinished(job: JobView): boolean {
  return isTrue(job, 'Complete') || isTrue(job, 'Failed');
}

/** Whether any of these has changed: conditions (capitalised names) or fields of the status. */
export function hasChanged(job: JobView, before: JobView, ...what: readonly string[]): boolean {
  return what.some((name) =>
    /^[A-Z]/.test(name)
      ? isTrue(job, name) !== isTrue(before, name)
      : !jsonEqual(valueAt(job.status, name) ?? null, valueAt(before.status, name) ?? null),
  );
}
