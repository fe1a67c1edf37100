/**
 * The TaintNodesByCondition plugin: a new node gets the not-ready taint.
 */

import type { JsonObject } from '../../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../../base/json-fields.ts';
import type { AdmissionContext, Admitted } from './admission.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

export function admitNode(node: JsonObject, { operation }: AdmissionContext): Admitted {
  const taints = objectsAt(node, 'spec', 'taints');
  const isPresent = taints.some(
    (taint) => stringAt(taint, 'key') === NOT_READY.key && stringAt(taint, 'effect') === NOT_READY.effect,
  );
  if (operation === 'update' || isPresent) return { kind: 'admitted', object: node };
  const spec = { ...objectAt(node, 'spec'), taints: [...taints, NOT_READY] };
  return { kind: 'admitted', object: { ...node, spec } };
}
