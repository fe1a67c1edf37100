/**
 * Controller references: controllers adopt matching orphans, and release dependents that no longer match.
 */

import type { AnyObject, Cache, CacheOptions, Kube, ResourceOf } from '../../../kubernetes/client/index.ts';
import {
  apiVersionOf,
  type LabelSelector,
  matchesSelector,
  type OwnerReference,
} from '../../../kubernetes/meta/index.ts';
import { keyOfObject } from '../object-keys.ts';
import { patchMetadata, type Write } from '../writes.ts';

export function controllerOf({ metadata }: AnyObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The controller reference of created dependents. */
export function controllerReference<T extends AnyObject>(
  { group, version, kind }: ResourceOf<T>,
  { metadata: { name, uid = '' } }: T,
): OwnerReference {
  return {
    apiVersion: apiVersionOf({ group, version }),
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Cache index by the UID of the controller, or as an orphan of a namespace. */
export const byController: Required<Pick<CacheOptions<AnyObject>, 'indexes'>>['indexes'] = {
  controller: (object) => [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace)],
};

function orphansOf(namespace = ''): string {
  return `orphans of ${namespace}`;
}

/** The dependents of the owner, and orphans in its namespace. */
export function candidatesFor<T extends AnyObject>(cache: Cache<T>, { metadata }: AnyObject): readonly T[] {
  return [
    ...cache.by('controller', metadata.uid ?? ''),
    ...cache.by('controller', orphansOf(metadata.namespace)),
  ];
}

type Claim<T> = {
  /** Dependents of the owner, including those it adopts. */
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
};

/** A terminating owner neither adopts nor releases. */
export function claim<T extends AnyObject>(
  owner: AnyObject,
  selector: LabelSelector | undefined,
  candidates: readonly T[],
): Claim<T> {
  const isTerminating = owner.metadata.deletionTimestamp !== undefined;
  const fits = ({ metadata }: T): boolean => matchesSelector(selector, metadata.labels);
  const mine = candidates.filter((one) => controllerOf(one)?.uid === owner.metadata.uid);
  const orphans = candidates.filter(
    (one) =>
      controllerOf(one) === undefined &&
      one.metadata.deletionTimestamp === undefined &&
      one.metadata.namespace === owner.metadata.namespace,
  );
  const adopt = isTerminating ? [] : orphans.filter(fits);
  return {
    owned: [...mine.filter(fits), ...adopt],
    adopt,
    release: isTerminating ? [] : mine.filter((one) => !fits(one)),
  };
}

export function claimWrites<T extends AnyObject>(
  resource: ResourceOf<T>,
  { adopt, release }: Claim<T>,
  reference: OwnerReference,
  /** Added on adoption, removed on release. */
  finalizer?: string,
): readonly Write[] {
  const owners = ({ metadata }: T) => metadata.ownerReferences ?? [];
  const others = (one: T) => owners(one).filter(({ uid }) => uid !== reference.uid);
  const finalizers = ({ metadata }: T, added: readonly string[]) => {
    const before = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
    return finalizer === undefined ? {} : { finalizers: [...before, ...added] };
  };
  const put = finalizer === undefined ? [] : [finalizer];
  return [
    ...adopt.map((one) =>
      patchMetadata(resource, one, {
        ownerReferences: [...others(one), reference],
        ...finalizers(one, put),
      }),
    ),
    ...release.map((one) =>
      patchMetadata(resource, one, { ownerReferences: others(one), ...finalizers(one, []) }),
    ),
  ];
}

type Claimant<O extends AnyObject> = {
  readonly resource: ResourceOf<O>;
  readonly owner: O;
  readonly selector: LabelSelector | undefined;
};

type Claimable<T extends AnyObject> = {
  readonly resource: ResourceOf<T>;
  readonly candidates: readonly T[];
  /** Added on adoption, removed on release. */
  readonly finalizer?: string;
};

/**
 * The dependents of an owner, and the writes that adopt or release some of them (client-go: `ControllerRefManager`).
 * Undefined if there is something to adopt and the owner no longer exists on the server: an owner deleted with propagation
 * Orphan must not adopt its dependents again, or they would be garbage collected.
 */
export async function claimDependents<O extends AnyObject, T extends AnyObject>(
  kube: Kube,
  { resource, owner, selector }: Claimant<O>,
  { resource: dependents, candidates, finalizer }: Claimable<T>,
): Promise<{ readonly owned: readonly T[]; readonly writes: readonly Write[] } | undefined> {
  const claimed = claim(owner, selector, candidates);
  if (claimed.adopt.length > 0 && !(await isStillThere(kube, resource, owner))) return undefined;
  const writes = claimWrites(dependents, claimed, controllerReference(resource, owner), finalizer);
  return { owned: claimed.owned, writes };
}

async function isStillThere<T extends AnyObject>(
  kube: Kube,
  resource: ResourceOf<T>,
  owner: T,
): Promise<boolean> {
  const found = await kube.get(resource, keyOfObject(owner));
  return found?.metadata.uid === owner.metadata.uid && found?.metadata.deletionTimestamp === undefined;
}
