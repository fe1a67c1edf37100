/**
 * Garbage collection of an object whose owners are deleted, and of the dependents of a deleted object.
 *
 *     background    the owner is deleted at once, its dependents afterwards
 *     foreground    the owner keeps a finalizer until all blocking dependents are deleted
 *     orphan        the owner references of dependents are removed first, then the owner is deleted
 */

import type { AnyObject, ResourceOf } from '../../kubernetes/client/index.ts';
import type { OwnerReference } from '../../kubernetes/meta/index.ts';
import { patchMetadata, remove, type Write } from './writes.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export type Item = { readonly resource: ResourceOf<AnyObject>; readonly object: AnyObject };

/**
 * `solid`: it exists. `dangling`: it does not. `waiting`: it is being deleted in the foreground and waits for its
 * dependents. `unknown`: its kind is not served.
 */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown';

export type GarbageSnapshot = Item & {
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  /** Objects that it owns. */
  readonly dependents: readonly Item[];
};

export function decideGarbage(seen: GarbageSnapshot): readonly Write[] {
  const { object, dependents } = seen;
  if (isTerminating(object)) {
    if (hasFinalizer(object, ORPHAN))
      return [...dependents.map((one) => disowned(one, object)), withoutFinalizer(seen, ORPHAN)];
    if (!hasFinalizer(object, FOREGROUND) || dependents.some((one) => blocks(one, object))) return [];
    return [withoutFinalizer(seen, FOREGROUND)];
  }
  return seen.owners.length === 0 ? [] : decideOwned(seen);
}

function decideOwned(seen: GarbageSnapshot): readonly Write[] {
  const { resource, object, owners, dependents } = seen;
  const inState = (state: OwnerState) => owners.filter((owner) => owner.state === state);
  if (inState('unknown').length > 0) return [];
  const solid = inState('solid');
  if (solid.length === owners.length) return [];
  if (solid.length > 0) {
    const ownerReferences = solid.map(({ reference }) => reference);
    return [patchMetadata(resource, object, { ownerReferences })];
  }
  if (inState('waiting').length > 0 && dependents.length > 0) {
    // A cycle of owners waiting for each other would never be deleted.
    const isCircle = dependents.some((one) => isWaitingForDependents(one.object));
    return [...(isCircle ? [unblocked(seen)] : []), remove(resource, object, FOREGROUND_DELETION)];
  }
  return [remove(resource, object, propagationOf(object))];
}

const FOREGROUND_DELETION = 'Foreground';

/** A finalizer that was set before the deletion decides the propagation policy. */
function propagationOf(object: AnyObject): 'Orphan' | 'Foreground' | 'Background' {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? FOREGROUND_DELETION : 'Background';
}

export function isTerminating({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether it is being deleted in the foreground. */
export function isWaitingForDependents(object: AnyObject): boolean {
  return isTerminating(object) && hasFinalizer(object, FOREGROUND);
}

export function hasFinalizer({ metadata }: AnyObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

function blocks({ object }: Item, owner: AnyObject): boolean {
  return (object.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
  );
}

function disowned({ resource, object }: Item, owner: AnyObject): Write {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(
    ({ uid }) => uid !== owner.metadata.uid,
  );
  return patchMetadata(resource, object, { ownerReferences });
}

function withoutFinalizer({ resource, object }: Item, finalizer: string): Write {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  return patchMetadata(resource, object, { finalizers });
}

function unblocked({ resource, object }: Item): Write {
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((reference) => ({
    ...reference,
    blockOwnerDeletion: false,
  }));
  return patchMetadata(resource, object, { ownerReferences });
}
