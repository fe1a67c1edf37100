/**
 * Writes as data, which tests compare and one function carries out.
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
import { keyOfObject } from './object-keys.ts';

type WriteTarget = { readonly resource: ResourceOf<AnyObject>; readonly object: AnyObject };

type Subresource = 'status' | 'finalize';

export type Write =
  | ({ readonly kind: 'create' } & WriteTarget)
  /** Optionally of a subresource. The server rejects it if the object has changed. */
  | ({ readonly kind: 'update'; readonly subresource?: Subresource } & WriteTarget)
  | ({ readonly kind: 'patch'; readonly patch: Patch } & WriteTarget)
  | ({ readonly kind: 'delete'; readonly propagation?: DeleteOptions['propagationPolicy'] } & WriteTarget);

export function create<T extends AnyObject>(resource: ResourceOf<T>, object: T): Write {
  return { kind: 'create', resource, object };
}

export function update<T extends AnyObject>(
  resource: ResourceOf<T>,
  object: T,
  subresource?: Subresource,
): Write {
  return { kind: 'update', resource, object, ...(subresource === undefined ? {} : { subresource }) };
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

/** Patches metadata of exactly this version of the object. */
export function patchMetadata<T extends AnyObject>(
  resource: ResourceOf<T>,
  object: T,
  changes: {
    readonly ownerReferences?: readonly OwnerReference[];
    readonly finalizers?: readonly string[];
  },
): Write {
  const { uid, resourceVersion } = object.metadata;
  // null removes the field; an empty list would remain.
  const metadata = Object.fromEntries(
    Object.entries(changes).map(([field, list]) => [field, list.length === 0 ? null : list]),
  );
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  return { kind: 'patch', resource, object, patch: { type: 'merge', body } };
}

/**
 * The result of a write. `stale`: the object has changed or is gone. `void`: its namespace is terminating.
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
        const options = write.subresource === undefined ? {} : { subresource: write.subresource };
        return { kind: 'written', object: await kube.update(resource, object, options) };
      }
      case 'patch':
        return {
          kind: 'written',
          object: await kube.patch(resource, keyOfObject(object), write.patch),
        };
      case 'delete':
        await kube.delete(resource, keyOfObject(object), {
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

/** The watch will deliver the change, and the decision is made again. */
function isOutdated(error: unknown, { kind, object }: Write): boolean {
  // A collision of a generated name is retried with another name.
  if (kind === 'create') return object.metadata.name !== '' && isAlreadyExists(error);
  return isConflict(error) || (error instanceof KubeError && error.code === 404);
}

function isNamespaceEnding(error: unknown): boolean {
  return (
    error instanceof KubeError &&
    (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}
