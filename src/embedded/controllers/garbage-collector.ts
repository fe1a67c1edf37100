/** The garbage collector: deletes objects without owners, over all served kinds. */
import { jsonEqual } from '../../base/json.ts';
import {
  type AnyObject,
  after,
  type Change,
  type Controller,
  done,
  type Enqueue,
  type Next,
} from '../../kubernetes/client/index.ts';
import {
  decideGarbage,
  FOREGROUND,
  type GarbageSnapshot,
  hasFinalizer,
  type Item,
  isTerminating,
  isWaitingForDependents,
  ORPHAN,
  type OwnerState,
} from './decide-garbage.ts';
import type { Inventory, MonitoredResource } from './inventory.ts';
import { keyOf, placeOf, placeOfObject } from './object-keys.ts';
import type { WorkloadContext } from './workload-context.ts';
import { carryOut } from './writes.ts';

const MAX_DELETED_OWNERS = 1000;

type OwnerReferences = NonNullable<AnyObject['metadata']['ownerReferences']>;

export function createGarbageCollector(
  { kube, settings }: WorkloadContext,
  inventory: Inventory,
): Controller {
  /** UIDs of deleted owners, which never come back even if their kind is no longer served. Bounded. */
  const deletedOwners = new Set<string>();
  const recordDeleted = (uid: string): void => {
    deletedOwners.add(uid);
    for (const oldest of deletedOwners) {
      if (deletedOwners.size <= MAX_DELETED_OWNERS) break;
      deletedOwners.delete(oldest);
    }
  };
  // The change in between may not enqueue the object again.
  const outdated = after(settings.outdatedRetryMs, 'the object has changed since the decision');

  async function reconcile(key: string): Promise<Next> {
    const [id = '', place = ''] = key.split(' ');
    const monitored = inventory.byId(id);
    const object = monitored?.cache.get(placeOf(place));
    if (monitored === undefined || object === undefined) return done;
    if (!inventory.isFilled()) return after(settings.inventoryRetryMs, 'not all resources are synced yet');
    const seen = await observe(monitored, object);
    const writes = decideGarbage(seen);
    // Deletion is final, so it must be based on the live object.
    const deletes = writes.some(({ kind }) => kind === 'delete');
    if (deletes && !(await isUnchanged(monitored, object))) return outdated;
    for (const write of writes) if ((await carryOut(kube, write)).kind === 'stale') return outdated;
    const isUnsure = seen.owners.some(({ state }) => state === 'unknown');
    return isUnsure ? after(settings.unknownOwnerRetryMs, 'the kind of an owner is not served') : done;
  }

  async function observe({ resource }: MonitoredResource, object: AnyObject): Promise<GarbageSnapshot> {
    const owners = [];
    const references = isTerminating(object) ? [] : (object.metadata.ownerReferences ?? []);
    for (const reference of references) {
      owners.push({ reference, state: await ownerState(object, reference) });
    }
    return { resource, object, owners, dependents: dependentsOf(object) };
  }

  async function ownerState(
    { metadata }: AnyObject,
    { apiVersion, kind, name, uid }: OwnerReferences[number],
  ): Promise<OwnerState> {
    if (deletedOwners.has(uid)) return 'dangling';
    const monitored = inventory.byKind(apiVersion, kind);
    const { namespace } = metadata;
    const isNamespaced = monitored?.resource.scope === 'Namespaced';
    // A cluster-scoped object cannot have a namespaced owner.
    if (monitored === undefined || (isNamespaced && namespace === undefined)) return 'unknown';
    const place = isNamespaced && namespace !== undefined ? { name, namespace } : { name };
    const cached = monitored.cache.get(place);
    const owner = cached?.metadata.uid === uid ? cached : await kube.get(monitored.resource, place);
    if (owner?.metadata.uid !== uid) return 'dangling';
    return isWaitingForDependents(owner) ? 'waiting' : 'solid';
  }

  async function isUnchanged({ resource }: MonitoredResource, object: AnyObject): Promise<boolean> {
    const live = await kube.get(resource, placeOfObject(object));
    return live?.metadata.uid === object.metadata.uid && isEquivalent(live, object);
  }

  function dependentsOf({ metadata: { uid = '' } }: AnyObject): readonly Item[] {
    return inventory
      .all()
      .flatMap(({ resource, cache }) => cache.by('owner', uid).map((object) => ({ resource, object })));
  }

  return {
    name: 'garbage-collector',
    workers: 4,
    caches: inventory.caches,
    watch: (enqueue) =>
      inventory.onChange((monitored, change) =>
        enqueueAffected(inventory, { monitored, change, enqueue, recordDeleted }),
      ),
    reconcile,
  };
}

type Affected = {
  readonly monitored: MonitoredResource;
  readonly change: Change<AnyObject>;
  readonly enqueue: Enqueue;
  readonly recordDeleted: (uid: string) => void;
};

/** Enqueues the changed object, its dependents when it is deleted, and owners that wait for it. */
function enqueueAffected(
  inventory: Inventory,
  { monitored, change, enqueue, recordDeleted }: Affected,
): void {
  const { before, after: shown } = change;
  if (shown !== undefined && isRelevant(shown) && !isEquivalent(before, shown))
    enqueue(collectionKey(monitored, shown));
  const hasBegunToWait =
    shown !== undefined &&
    isWaitingForDependents(shown) &&
    !(before !== undefined && isWaitingForDependents(before));
  const uid = (shown ?? before)?.metadata.uid ?? '';
  if (shown === undefined || hasBegunToWait) {
    for (const other of inventory.all()) {
      const dependents = other.cache.by('owner', uid);
      if (shown === undefined && dependents.length > 0) recordDeleted(uid);
      for (const dependent of dependents) enqueue(collectionKey(other, dependent));
    }
  }
  const references = before?.metadata.ownerReferences ?? [];
  if (references.length === 0 || jsonEqual(references, shown?.metadata.ownerReferences)) return;
  for (const { apiVersion, kind, name } of references) {
    const owners = inventory.byKind(apiVersion, kind);
    const { namespace } = before?.metadata ?? {};
    const isNamespaced = owners?.resource.scope === 'Namespaced' && namespace !== undefined;
    const owner = owners?.cache.get(isNamespaced ? { name, namespace } : { name });
    if (owners !== undefined && owner !== undefined && isWaitingForDependents(owner))
      enqueue(collectionKey(owners, owner));
  }
}

function isRelevant(object: AnyObject): boolean {
  if (isTerminating(object)) return hasFinalizer(object, ORPHAN) || hasFinalizer(object, FOREGROUND);
  return (object.metadata.ownerReferences ?? []).length > 0;
}

/** Whether no relevant field has changed, as in most changes. */
function isEquivalent(before: AnyObject | undefined, shown: AnyObject): boolean {
  return (
    before !== undefined &&
    isTerminating(before) === isTerminating(shown) &&
    jsonEqual(before.metadata.finalizers, shown.metadata.finalizers) &&
    jsonEqual(before.metadata.ownerReferences, shown.metadata.ownerReferences)
  );
}

function collectionKey({ id }: MonitoredResource, object: AnyObject): string {
  return `${id} ${keyOf(object)}`;
}
