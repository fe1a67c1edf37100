/**
 * Whose a cordon is.
 *
 * We put back into service only what we took out of it. What we did stands in the drain record, but a cordon that somebody
 * else renewed meanwhile (uncordoned and cordoned again, or applied beside ours) leaves no trace there. It does in the
 * server's books of who set which field, `metadata.managedFields`: where they are at hand, they decide.
 */
import { objectsAt, stringAt, valueAt } from '../base/json-fields.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { DrainRecord } from './drain-record.ts';

/** For a node that is cordoned. Where nothing tells, it is not ours. */
export function cordonHolder(
  node: Node,
  record: DrainRecord | undefined,
  fieldManager?: string,
): 'millwright' | 'other' {
  const holders = holdersOfCordon(node);
  const isOurs =
    fieldManager === undefined || holders.length === 0
      ? record?.cordonedBy === 'millwright'
      : holders.every((holder) => holder === fieldManager);
  return isOurs ? 'millwright' : 'other';
}

/** Who set `spec.unschedulable` to what it is. */
function holdersOfCordon(node: Node): readonly string[] {
  return objectsAt(node.metadata, 'managedFields')
    .filter(({ fieldsV1 }) => valueAt(fieldsV1, 'f:spec', 'f:unschedulable') !== undefined)
    .map((entry) => stringAt(entry, 'manager'));
}
