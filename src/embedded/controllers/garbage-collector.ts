/** Collects what nobody owns any more, over all kinds that the server has. */
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

const MAX_GONE = 1000;

type OwnerReferences = NonNullable<AnyObject['metadata']['ownerReferences']>;

export function createGarbageCollector(
  { kube, settings }: WorkloadContext,
  inventory: Inventory,
): Controller {
  /** Uids of owners that were seen to go: they do not come back, whatever becomes of their kind. The newest alone. */
  const gone = new Set<string>();
  const noteGone = (uid: string): void => {
    gone.add(uid);
    for (const oldest of gone) {
      if (gone.size <= MAX_GONE) break;
      gone.delete(oldest);
    }
  };
  // What has changed in between may not be of the sort that brings an object back here.
  const overtaken = after(settings.overtakenRetryMs, 'it was decided on what has changed since');

  async function reconcile(key: string): Promise<Next> {
    const [id = '', place = ''] = key.split(' ');
    const monitored = inventory.byId(id);
    const object = monitored?.cache.get(placeOf(place));
    if (monitored === undefined || object === undefined) return done;
    if (!inventory.isFilled()) return after(settings.inventoryRetryMs, 'not all kinds are known yet');
    const seen = await observe(monitored, object);
    const writes = decideGarbage(seen);
    // Deleting is for good: it rests on the object as it is, and not as it was a moment ago.
    const deletes = writes.some(({ kind }) => kind === 'delete');
    if (deletes && !(await isUnchanged(monitored, object))) return overtaken;
    for (const write of writes) if ((await carryOut(kube, write)).kind === 'stale') return overtaken;
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
    if (gone.has(uid)) return 'dangling';
    const monitored = inventory.byKind(apiVersion, kind);
    const { namespace } = metadata;
    const isNamespaced = monitored?.resource.scope === 'Namespaced';
    // What has no namespace cannot belong to something that has one.
    if (monitored === undefined || (isNamespaced && namespace === undefined)) return 'unknown';
    const place = isNamespaced && namespace !== undefined ? { name, namespace } : { name };
    const cached = monitored.cache.get(place);
    const owner = cached?.metadata.uid === uid ? cached : await kube.get(monitored.resource, place);
    if (owner?.metadata.uid !== uid) return 'dangling';
    return isWaitingForDependents(owner) ? 'waiting' : 'solid';
  }

  async function isUnchanged({ resource }: MonitoredResource, object: AnyObject): Promise<boolean> {
    const live = await kube.get(resource, placeOfObject(object));
    return live?.metadata.uid === object.metadata.uid && isAlike(live, object);
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
        enqueueConcerned(inventory, { monitored, change, enqueue, noteGone }),
      ),
    reconcile,
  };
}

type Concern = {
  readonly monitored: MonitoredResource;
  readonly change: Change<AnyObject>;
  readonly enqueue: Enqueue;
  readonly noteGone: (uid: string) => void;
};

/** Whom a change concerns: the object itself, what it owns when it goes, and owners that wait for it. */
function enqueueConcerned(inventory: Inventory, { monitored, change, enqueue, noteGone }: Concern): void {
  const { before, after: shown } = change;
  if (shown !== undefined && isWorthALook(shown) && !isAlike(before, shown))
    enqueue(collectionKey(monitored, shown));
  const hasBegunToWait =
    shown !== undefined &&
    isWaitingForDependents(shown) &&
    !(before !== undefined && isWaitingForDependents(before));
  const uid = (shown ?? before)?.metadata.uid ?? '';
  if (shown === undefined || hasBegunToWait) {
    for (const other of inventory.all()) {
      const dependents = other.cache.by('owner', uid);
      if (shown === undefined && dependents.length > 0) noteGone(uid);
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

function isWorthALook(object: AnyObject): boolean {
  if (isTerminating(object)) return hasFinalizer(object, ORPHAN) || hasFinalizer(object, FOREGROUND);
  return (object.metadata.ownerReferences ?? []).length > 0;
}

/** Whether nothing has changed that matters here; most changes are of that sort. */
function isAlike(before: AnyObject | undefined, shown: AnyObject): boolean {
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
