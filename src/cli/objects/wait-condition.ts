/**
 * What `millwright wait --for` waits for, and whether an object has it.
 */

import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import type { Verdict } from './await-objects.ts';

export type WaitFor =
  | { readonly kind: 'condition'; readonly type: string; readonly status: string }
  | { readonly kind: 'create' | 'delete' };

export function parseWaitFor(text: string): Outcome<WaitFor> {
  if (text === 'create' || text === 'delete') return ok({ kind: text });
  const [form, type = '', status = 'true', ...rest] = text.split('=');
  if (form === 'condition' && type !== '' && status !== '' && rest.length === 0) {
    return ok({ kind: 'condition', type, status });
  }
  const message = 'Say condition=TYPE, condition=TYPE=STATUS, create or delete.';
  return invalid([{ path: '', message }]);
}

/** An object that is not there has no condition, and will not get one. */
export function judgeWait(waitFor: WaitFor, object: JsonObject | undefined): Verdict {
  switch (waitFor.kind) {
    case 'create':
      return object === undefined ? 'not yet' : 'met';
    case 'delete':
      return object === undefined ? 'met' : 'not yet';
    case 'condition':
      if (object === undefined) return 'lost';
      return isInCondition(waitFor, object) ? 'met' : 'not yet';
  }
}

type ConditionWait = Extract<WaitFor, { kind: 'condition' }>;

function isInCondition({ type, status }: ConditionWait, object: JsonObject): boolean {
  const condition = conditionIn(object, type);
  if (condition === undefined || !isEqualFold(condition.status, status)) return false;
  return !isStale(object, condition);
}

/** A condition that tells of an older generation says nothing of this one. */
function isStale(object: JsonObject, condition: JsonObject): boolean {
  const generation = valueAt(object, 'metadata', 'generation');
  const observed = condition.observedGeneration ?? valueAt(object, 'status', 'observedGeneration');
  return typeof generation === 'number' && typeof observed === 'number' && observed < generation;
}

/** Why it is not yet met, for whoever has waited in vain. */
export function waitReason(waitFor: WaitFor, object: JsonObject | undefined): string {
  if (waitFor.kind !== 'condition')
    return waitFor.kind === 'create' ? 'it is not there' : deletionReason(object);
  const condition = object === undefined ? undefined : conditionIn(object, waitFor.type);
  if (object === undefined || condition === undefined) return `it has no condition ${waitFor.type}`;
  const what = `${condition.type} is ${condition.status}`;
  if (isStale(object, condition)) return `${what}, but that is of an earlier generation`;
  const why = [condition.reason, condition.message].filter((text) => typeof text === 'string' && text !== '');
  return [what, ...why].join(': ');
}

export function deletionReason(object: JsonObject | undefined): string {
  const metadata = object !== undefined && isJsonObject(object.metadata) ? object.metadata : {};
  if (metadata.deletionTimestamp === undefined) return 'nobody has asked it to go';
  const { finalizers } = metadata;
  return Array.isArray(finalizers) && finalizers.length > 0
    ? `it is to go, and waits for ${finalizers.join(', ')}`
    : 'it is to go, and has not ended yet';
}

function conditionIn({ status }: JsonObject, type: string): JsonObject | undefined {
  const conditions = isJsonObject(status) ? status.conditions : undefined;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter(isJsonObject).find((one) => isEqualFold(one.type, type));
}

function isEqualFold(value: unknown, text: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === text.toLowerCase();
}
