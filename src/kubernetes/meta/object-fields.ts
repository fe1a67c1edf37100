/**
 * Metadata and conditions of objects whose shape has not been checked: snapshots may come from files that no server has
 * seen, and a value of the wrong type counts as absent.
 */
import { objectsAt, optionalStringAt, stringAt, stringMapAt } from '../../base/json-fields.ts';
import type { Labels } from './label-selector.ts';

export function nameOf(object: unknown): string {
  return stringAt(object, 'metadata', 'name');
}

export function namespaceOf(object: unknown): string {
  return stringAt(object, 'metadata', 'namespace');
}

export function labelsOf(object: unknown): Labels {
  return stringMapAt(object, 'metadata', 'labels');
}

/** Undefined where the key is absent, which is not the same as an empty value. */
export function labelOf(object: unknown, key: string): string | undefined {
  return optionalStringAt(object, 'metadata', 'labels', key);
}

export function annotationOf(object: unknown, key: string): string | undefined {
  return optionalStringAt(object, 'metadata', 'annotations', key);
}

/** A condition with empty strings for the fields it leaves out. */
type ConditionFields = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};

/** The conditions of an object, in its order. */
export function conditionsOf(object: unknown): readonly ConditionFields[] {
  return objectsAt(object, 'status', 'conditions').map((condition) => ({
    type: stringAt(condition, 'type'),
    status: stringAt(condition, 'status'),
    reason: stringAt(condition, 'reason'),
    message: stringAt(condition, 'message'),
  }));
}

/** The first condition of the type. */
export function conditionOf(object: unknown, type: string): ConditionFields | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

export function hasTrueCondition(object: unknown, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}
