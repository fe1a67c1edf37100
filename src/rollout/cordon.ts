/**
 * Who cordoned a node.
 *
 * We uncordon only what we cordoned. The drain record shows that, but not if another client renewed the cordon meanwhile
 * (uncordoned and cordoned again, or applied beside ours). `metadata.managedFields` does: where they are known, they decide.
 */
import { objectsAt, stringAt, valueAt } from '../base/json-fields.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { DrainRecord } from './drain-record.ts';

/** For a cordoned node. Without evidence the cordon is not ours. */
export function cordonHolder(
  node: Node,
  record: DrainRecord | undefined,
  fieldManager?: string,
): 'millwright' | 'other' {
  const managers = cordonManagers(node);
  const isOurs =
    fieldManager === undefined || managers.length === 0
      ? record?.cordonedBy === 'millwright'
      : managers.every((manager) => manager === fieldManager);
  return isOurs ? 'millwright' : 'other';
}

/** The field managers of `spec.unschedulable`. */
function cordonManagers(node: Node): readonly string[] {
  return objectsAt(node.metadata, 'managedFields')
    .filter(({ fieldsV1 }) => valueAt(fieldsV1, 'f:spec', 'f:unschedulable') !== undefined)
    .map((entry) => stringAt(entry, 'manager'));
}
