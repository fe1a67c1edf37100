/**
 * An object has at most ten managers with operation Update: older ones are merged into `ancient-changes`, one per API
 * version.
 */
import { compareBytes } from '../../base/json.ts';
import { unionOf } from './field-set.ts';
import { type FieldManager, type FieldManagers, identityOf, secondsOf } from './managed-fields.ts';

export const MAX_UPDATE_MANAGERS = 10;
const ANCIENT_CHANGES = 'ancient-changes';

export function capManagers(managers: FieldManagers): FieldManagers {
  if (managers.size <= MAX_UPDATE_MANAGERS) return managers;
  const oldestFirst = [...managers].filter(([, { operation }]) => operation === 'Update').sort(compareAge);
  const capped = new Map(managers);
  const firsts = new Map<string, [string, FieldManager]>();
  let count = oldestFirst.length;
  for (const entry of oldestFirst) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const [identity, owner] = entry;
    const first = firsts.get(owner.apiVersion);
    // The oldest manager of a version keeps its name until there is another to merge with.
    if (first === undefined) {
      firsts.set(owner.apiVersion, entry);
      continue;
    }
    const bucket = bucketOf(owner);
    const bucketIdentity = identityOf(bucket);
    const gathered = capped.get(bucketIdentity);
    const fields = [owner.fields, ...(gathered === undefined ? [] : [gathered.fields])];
    if (gathered === undefined || identity === bucketIdentity) {
      const [firstIdentity, firstOwner] = first;
      capped.delete(firstIdentity);
      fields.push(firstOwner.fields);
    }
    capped.delete(identity);
    capped.set(bucketIdentity, { ...bucket, fields: fields.reduce(unionOf) });
    count--;
  }
  return capped;
}

function compareAge([a, x]: [string, FieldManager], [b, y]: [string, FieldManager]): number {
  return secondsOf(x.time) - secondsOf(y.time) || compareBytes(a, b);
}

/** With the time of this manager, the latest in the bucket. */
function bucketOf(owner: FieldManager): FieldManager {
  return { ...owner, manager: ANCIENT_CHANGES, subresource: '' };
}
