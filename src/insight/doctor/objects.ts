/**
 * Objects as evidence: their names, fields and conditions.
 */
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import { nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import { since } from '../timestamp.ts';
import type { Evidence, ObjectName } from './finding.ts';

export function named(kind: string, object: unknown): ObjectName {
  const namespace = namespaceOf(object);
  return { kind, name: nameOf(object), ...(namespace === '' ? {} : { namespace }) };
}

export const aNode = (name: string): ObjectName => ({ kind: 'Node', name });
export const aPool = (name: string): ObjectName => ({ kind: 'MachineConfigPool', name });
export const aMachineConfigNode = (name: string): ObjectName => ({ kind: 'MachineConfigNode', name });

export function annotation(object: ObjectName, key: string, value: string, time?: unknown): Evidence {
  return { object, field: `metadata.annotations[${key}]`, value, ...since(time) };
}

/** The condition of the type, as evidence; none where there is none. */
export function condition(about: ObjectName, object: unknown, type: string): readonly Evidence[] {
  const found = conditionFields(object, type);
  if (found === undefined) return [];
  const [status, reason, message] = ['status', 'reason', 'message'].map((field) => stringAt(found, field));
  const detail = [reason, message].filter((text) => text !== '').join(': ');
  return [
    {
      object: about,
      field: `status.conditions[${type}]`,
      value: detail === '' ? `${status}` : `${status}: ${detail}`,
      ...since(found.lastTransitionTime),
    },
  ];
}

export function conditionFields(object: unknown, type: string) {
  return objectsAt(object, 'status', 'conditions').find((one) => stringAt(one, 'type') === type);
}

/** Since when the condition has its status; empty where that is unknown. */
export function conditionSince(object: unknown, type: string): { readonly since?: string } {
  return since(conditionFields(object, type)?.lastTransitionTime);
}
