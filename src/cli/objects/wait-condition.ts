/**
 * The condition of `millwright wait --for`, and whether an object meets it.
 */

import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import type { WaitResult } from './wait-for-objects.ts';

export type WaitFor =
  | { readonly kind: 'condition'; readonly type: string; readonly status: string }
  | { readonly kind: 'create' | 'delete' };

export function parseWaitFor(text: string): Outcome<WaitFor> {
  if (text === 'create' || text === 'delete') return ok({ kind: text });
  const [form, type = '', status = 'true', ...rest] = text.split('=');
  if (form === 'condition' && type !== '' && status !== '' && rest.length === 0) {
    return ok({ kind: 'condition', type, status });
  }
  const message = 'Must be condition=TYPE, condition=TYPE=STATUS, create or delete.';
  return invalid([{ path: '', message }]);
}

/** A missing object cannot meet a condition, like in kubectl. */
export function checkWait(waitFor: WaitFor, object: JsonObject | undefined): WaitResult {
  switch (waitFor.kind) {
    case 'create':
      return object === undefined ? 'pending' : 'met';
    case 'delete':
      return object === undefined ? 'met' : 'pending';
    case 'condition':
      if (object === undefined) return 'impossible';
      return isInCondition(waitFor, object) ? 'met' : 'pending';
  }
}

type ConditionWait = Extract<WaitFor, { kind: 'condition' }>;

function isInCondition({ type, status }: ConditionWait, object: JsonObject): boolean {
  const condition = conditionIn(object, type);
  if (condition === undefined || !isEqualFold(condition.status, status)) return false;
  return !isStale(object, condition);
}

/** A condition observed at an older generation does not count. */
function isStale(object: JsonObject, condition: JsonObject): boolean {
  const generation = valueAt(object, 'metadata', 'generation');
  const observed = condition.observedGeneration ?? valueAt(object, 'status', 'observedGeneration');
  return typeof generation === 'number' && typeof observed === 'number' && observed < generation;
}

/** Why the condition is not met. */
export function waitReason(waitFor: WaitFor, object: JsonObject | undefined): string {
  if (waitFor.kind !== 'condition')
    return waitFor.kind === 'create' ? 'it does not exist' : deletionReason(object);
  const condition = object === undefined ? undefined : conditionIn(object, waitFor.type);
  if (object === undefined || condition === undefined) return `it has no condition ${waitFor.type}`;
  const what = `${condition.type} is ${condition.status}`;
  if (isStale(object, condition)) return `${what}, but for an earlier generation`;
  const why = [condition.reason, condition.message].filter((text) => typeof text === 'string' && text !== '');
  return [what, ...why].join(': ');
}

export function deletionReason(object: JsonObject | undefined): string {
  const metadata = object !== undefined && isJsonObject(object.metadata) ? object.metadata : {};
  if (metadata.deletionTimestamp === undefined) return 'it is not being deleted';
  const { finalizers } = metadata;
  return Array.isArray(finalizers) && finalizers.length > 0
    ? `it is being deleted and has finalizers ${finalizers.join(', ')}`
    : 'it is being deleted';
}

function conditionIn({ status }: JsonObject, type: string): JsonObject | undefined {
  const conditions = isJsonObject(status) ? status.conditions : undefined;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter(isJsonObject).find((one) => isEqualFold(one.type, type));
}

function isEqualFold(value: unknown, text: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === text.toLowerCase();
}
