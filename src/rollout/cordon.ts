/**
 * Who cordoned a node.
 *
 * We uncordon only what we cordoned. The drain record shows that, but not if another client renewed the cordon meanwhile
 * (uncordoned and cordoned again, or applied beside ours). `metadata.managedFields` does: where they are known, they decide.
 */
import { objectsAt, stringAt, valueAt } from '../base/json-fields.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { DrainRecord } from './drain-record.ts';

/** Of the drain controller, which cordons: `managedFields` then shows who did. */
export const DRAIN_FIELD_MANAGER = 'machine-config-controller-drain';

/** Of the `managedFields` of a cordoned node: all that is needed to know who cordoned it. Caches keep this part. */
export function cordonFields({ spec }: Node, managedFields: readonly unknown[]): readonly unknown[] {
  if (spec?.unschedulable !== true) return [];
  const fieldsV1 = { 'f:spec': { 'f:unschedulable': {} } };
  return cordonEntries(managedFields).map((entry) => ({ manager: stringAt(entry, 'manager'), fieldsV1 }));
}

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
  return cordonEntries(node.metadata?.managedFields ?? []).map((entry) => stringAt(entry, 'manager'));
}

function cordonEntries(managedFields: readonly unknown[]) {
  return objectsAt({ managedFields }, 'managedFields').filter(
    ({ fieldsV1 }) => valueAt(fieldsV1, 'f:spec', 'f:unschedulable') !== undefined,
  );
}
