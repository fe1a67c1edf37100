/**
 * No object remembers more than ten owners that update: those of long ago become one, `ancient-changes`, for each
 * version of the API.
 */
import { compareBytes } from '../../base/json.ts';
import { unionOf } from './field-set.ts';
import { identityOf, type Owner, type Owners, secondsOf } from './managed-fields.ts';

export const MAX_UPDATE_OWNERS = 10;
const ANCIENT_CHANGES = 'ancient-changes';

export function cappedOwners(owners: Owners): Owners {
  if (owners.size <= MAX_UPDATE_OWNERS) return owners;
  const oldestFirst = [...owners].filter(([, { operation }]) => operation === 'Update').sort(compareAge);
  const capped = new Map(owners);
  const firsts = new Map<string, [string, Owner]>();
  let count = oldestFirst.length;
  for (const entry of oldestFirst) {
    if (count <= MAX_UPDATE_OWNERS) break;
    const [identity, owner] = entry;
    const first = firsts.get(owner.apiVersion);
    // The oldest one of a version keeps its name until there is another to join.
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

function compareAge([a, x]: [string, Owner], [b, y]: [string, Owner]): number {
  return secondsOf(x.time) - secondsOf(y.time) || compareBytes(a, b);
}

/** With the time of the owner, who came later than those in it. */
function bucketOf(owner: Owner): Owner {
  return { ...owner, manager: ANCIENT_CHANGES, subresource: '' };
}
