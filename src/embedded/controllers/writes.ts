/**
 * What a decision asks to be written, as data: so that it can be compared in a test, and carried out in one place.
 */

import {
  type AnyObject,
  type DeleteOptions,
  isAlreadyExists,
  isConflict,
  type Kube,
  KubeError,
  type Patch,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';
import type { OwnerReference } from '../../kubernetes/meta/index.ts';
import { placeOfObject } from './object-keys.ts';

type About = { readonly resource: ResourceOf<AnyObject>; readonly object: AnyObject };

type Subresource = 'status' | 'finalize';

export type Write =
  | ({ readonly kind: 'create' } & About)
  /** Through a further door where one is named. Refused by the server where the object is not the one that was seen. */
  | ({ readonly kind: 'update'; readonly door?: Subresource } & About)
  | ({ readonly kind: 'patch'; readonly patch: Patch } & About)
  | ({ readonly kind: 'delete'; readonly propagation?: DeleteOptions['propagationPolicy'] } & About);

export function create<T extends AnyObject>(resource: ResourceOf<T>, object: T): Write {
  return { kind: 'create', resource, object };
}

export function update<T extends AnyObject>(resource: ResourceOf<T>, object: T, door?: Subresource): Write {
  return { kind: 'update', resource, object, ...(door === undefined ? {} : { door }) };
}

export function updateStatus<T extends AnyObject>(resource: ResourceOf<T>, object: T): Write {
  return update(resource, object, 'status');
}

export function remove<T extends AnyObject>(
  resource: ResourceOf<T>,
  object: T,
  propagation?: DeleteOptions['propagationPolicy'],
): Write {
  return { kind: 'delete', resource, object, ...(propagation === undefined ? {} : { propagation }) };
}

/** Changes metadata of the object as it was seen, and of no later one. */
export function patchMetadata<T extends AnyObject>(
  resource: ResourceOf<T>,
  object: T,
  changes: {
    readonly ownerReferences?: readonly OwnerReference[];
    readonly finalizers?: readonly string[];
  },
): Write {
  const { uid, resourceVersion } = object.metadata;
  // An empty list would stay as one; null takes the field away.
  const metadata = Object.fromEntries(
    Object.entries(changes).map(([field, list]) => [field, list.length === 0 ? null : list]),
  );
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  return { kind: 'patch', resource, object, patch: { type: 'merge', body } };
}

/**
 * What became of a write. `stale`: it was decided on an object that has changed since, or is gone. `void`: what would be
 * made goes anyway, for its namespace does.
 */
type Written =
  | { readonly kind: 'written'; readonly object: AnyObject }
  | { readonly kind: 'deleted' | 'stale' | 'void' };

export async function carryOut(kube: Kube, write: Write): Promise<Written> {
  const { resource, object } = write;
  try {
    switch (write.kind) {
      case 'create':
        return { kind: 'written', object: await kube.create(resource, object) };
      case 'update': {
        const options = write.door === undefined ? {} : { subresource: write.door };
        return { kind: 'written', object: await kube.update(resource, object, options) };
      }
      case 'patch':
        return {
          kind: 'written',
          object: await kube.patch(resource, placeOfObject(object), write.patch),
        };
      case 'delete':
        await kube.delete(resource, placeOfObject(object), {
          ...(object.metadata.uid === undefined ? {} : { uid: object.metadata.uid }),
          ...(write.propagation === undefined ? {} : { propagationPolicy: write.propagation }),
        });
        return { kind: 'deleted' };
    }
  } catch (error) {
    if (isNamespaceEnding(error)) return { kind: 'void' };
    if (isOutdated(error, write)) return { kind: 'stale' };
    throw error;
  }
}

/** Something happened in between that will come by the watch; deciding anew is all there is to do. */
function isOutdated(error: unknown, { kind, object }: Write): boolean {
  // A name that the server made up is merely bad luck: another one will do.
  if (kind === 'create') return object.metadata.name !== '' && isAlreadyExists(error);
  return isConflict(error) || (error instanceof KubeError && error.code === 404);
}

function isNamespaceEnding(error: unknown): boolean {
  return (
    error instanceof KubeError &&
    (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}
