/** The garbage collector: deletes objects without owners, over all served kinds. */
import { jsonEqual } from '../../base/json.ts';
import {
  type AnyObject,
  after,
  type Change,
  type Controller,
  done,
  type Enqueue,
  type Kube,
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
import { keyOf, keyOfObject, objectKeyOf } from './object-keys.ts';
import type { WorkloadContext } from './workload-context.ts';
import { carryOut } from './writes.ts';

const MAX_DELETED_OWNERS = 1000;

type OwnerReferences = NonNullable<AnyObject['metadata']['ownerReferences']>;

type CollectorContext = Pick<WorkloadContext, 'kube' | 'settings'> & {
  readonly inventory: Inventory;
  readonly deletedOwners: DeletedOwners;
};

export function createGarbageCollector(
  { kube, settings }: WorkloadContext,
  inventory: Inventory,
): Controller {
  const context: CollectorContext = { kube, settings, inventory, deletedOwners: new DeletedOwners() };
  return {
    name: 'garbage-collector',
    workers: 4,
    caches: inventory.caches,
    watch: (enqueue) =>
      inventory.onChange((monitored, change) => enqueueAffected(context, { monitored, change, enqueue })),
    reconcile: (key) => reconcile(context, key),
  };
}

/** UIDs of deleted owners, which never come back even if their kind is no longer served. Bounded. */
class DeletedOwners {
  readonly #uids = new Set<string>();

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  record(uid: string): void {
    this.#uids.add(uid);
    for (const oldest of this.#uids) {
      if (this.#uids.size <= MAX_DELETED_OWNERS) break;
      this.#uids.delete(oldest);
    }
  }
}

async function reconcile(context: CollectorContext, key: string): Promise<Next> {
  const { kube, settings, inventory } = context;
  const [id = '', place = ''] = key.split(' ');
  const monitored = inventory.byId(id);
  const object = monitored?.cache.get(objectKeyOf(place));
  if (monitored === undefined || object === undefined) return done;
  if (!inventory.isFilled()) return after(settings.inventoryRetryMs, 'not all resources are synced yet');
  const snapshot = await observe(context, monitored, object);
  const writes = decideGarbage(snapshot);
  // The change in between may not enqueue the object again.
  const outdated = after(settings.outdatedRetryMs, 'the object has changed since the decision');
  // Deletion is final, so it must be based on the live object.
  const deletes = writes.some(({ kind }) => kind === 'delete');
  if (deletes && !(await isUnchanged(kube, monitored, object))) return outdated;
  for (const write of writes) if ((await carryOut(kube, write)).kind === 'stale') return outdated;
  const isUnsure = snapshot.owners.some(({ state }) => state === 'unknown');
  return isUnsure ? after(settings.unknownOwnerRetryMs, 'the kind of an owner is not served') : done;
}

async function observe(
  context: CollectorContext,
  { resource }: MonitoredResource,
  object: AnyObject,
): Promise<GarbageSnapshot> {
  const owners = [];
  const references = isTerminating(object) ? [] : (object.metadata.ownerReferences ?? []);
  for (const reference of references) {
    owners.push({ reference, state: await ownerState(context, object, reference) });
  }
  return { resource, object, owners, dependents: dependentsOf(context, object) };
}

async function ownerState(
  { kube, inventory, deletedOwners }: CollectorContext,
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

function dependentsOf(
  { inventory }: CollectorContext,
  { metadata: { uid = '' } }: AnyObject,
): readonly Item[] {
  return inventory
    .all()
    .flatMap(({ resource, cache }) => cache.by('owner', uid).map((object) => ({ resource, object })));
}

async function isUnchanged(kube: Kube, { resource }: MonitoredResource, object: AnyObject): Promise<boolean> {
  const live = await kube.get(resource, keyOfObject(object));
  return live?.metadata.uid === object.metadata.uid && isEquivalent(live, object);
}

type Affected = {
  readonly monitored: MonitoredResource;
  readonly change: Change<AnyObject>;
  readonly enqueue: Enqueue;
};

/** Enqueues the changed object, its dependents when it is deleted, and owners that wait for it. */
function enqueueAffected(
  { inventory, deletedOwners }: CollectorContext,
  { monitored, change, enqueue }: Affected,
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
      if (shown === undefined && dependents.length > 0) deletedOwners.record(uid);
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
