/**
 * A change, as an administrator makes it on the simulated cluster. What `kubectl apply` leads to is computed on the real objects, and sent as
 * the difference: the simulated ones lack what controllers have written into them.
 */
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../base/json.ts';
import {
  type ClusterSnapshot,
  changeSnapshot,
  type SnapshotChange,
  type SnapshotObject,
} from '../../insight/index.ts';
import { type AnyObject, type Kube, KubeError, type ResourceOf } from '../../kubernetes/client/index.ts';
import { isLeftOut } from './left-out.ts';
import { sourceOf } from './rehearsed-cluster.ts';
import { kindOf } from './stored-objects.ts';

/** An object of the change, before and after; one of the two is absent where it is created or deleted. */
export type ChangedObject = {
  readonly kind: ResourceOf<AnyObject>;
  readonly place: { readonly name: string; readonly namespace?: string };
  readonly created?: SnapshotObject;
  /** A merge patch. */
  readonly patch?: JsonObject;
};

/** In the order in which they are given; deletions first. Kinds that no rehearsal acts on are left out. */
export function changedObjects(
  before: ClusterSnapshot,
  change: SnapshotChange,
  namespace: string,
): readonly ChangedObject[] {
  const after = changeSnapshot(before, change);
  const find = (snapshot: ClusterSnapshot, { kind, apiVersion, metadata }: SnapshotObject) =>
    snapshot.objects.find(
      (one) =>
        one.kind === kind &&
        one.apiVersion === apiVersion &&
        one.metadata.name === metadata.name &&
        (one.metadata.namespace ?? '') === (metadata.namespace ?? ''),
    );
  const applied = change.applied.flatMap((object): readonly ChangedObject[] => {
    const kind = resourceOf(object);
    const [was, is] = [find(before, object), find(after, object)];
    if (kind === undefined || is === undefined) return [];
    const target = sourceOf(is, namespace);
    const place = placeOf(target);
    if (was === undefined) return [{ kind, place, created: target }];
    return [{ kind, place, patch: difference(declared(sourceOf(was, namespace)), declared(target)) }];
  });
  const deleted = change.deleted.flatMap(({ group, kind: name, ...place }): readonly ChangedObject[] => {
    const found = before.objects.find(
      ({ kind, apiVersion, metadata }) =>
        kind === name &&
        (apiVersion.includes('/') ? apiVersion.split('/')[0] : '') === group &&
        metadata.name === place.name &&
        (metadata.namespace ?? '') === (place.namespace ?? ''),
    );
    const kind = found === undefined ? undefined : resourceOf(found);
    return found === undefined || kind === undefined
      ? []
      : [{ kind, place: placeOf(sourceOf(found, namespace)) }];
  });
  return [...deleted, ...applied];
}

/** Throws a `KubeError` where the server refuses. */
export async function makeChange(kube: Kube, objects: readonly ChangedObject[]): Promise<void> {
  for (const { kind, place, created, patch } of objects) {
    if (created !== undefined) await create(kube, kind, created);
    else if (patch === undefined) await kube.delete(kind, place);
    else if (Object.keys(patch).length > 0) await kube.patch(kind, place, { type: 'merge', body: patch });
  }
}

async function create(kube: Kube, kind: ResourceOf<AnyObject>, object: SnapshotObject): Promise<void> {
  const { uid: _, creationTimestamp: _time, generation: _number, ...metadata } = object.metadata;
  const manifest = { ...object, metadata };
  try {
    await kube.create(kind, manifest);
  } catch (error) {
    // Of the simulated cluster alone, such as a pool that the operator creates.
    if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    await kube.apply(kind, manifest);
  }
}

function resourceOf(object: SnapshotObject): ResourceOf<AnyObject> | undefined {
  if (isLeftOut(object)) return undefined;
  // Every kind has the schema of its objects.
  return kindOf(object) as unknown as ResourceOf<AnyObject> | undefined;
}

function placeOf({ metadata: { name, namespace } }: SnapshotObject) {
  return namespace === undefined ? { name } : { name, namespace };
}

/** What an administrator declares. */
function declared(object: SnapshotObject): JsonObject {
  const {
    apiVersion: _,
    kind: _kind,
    metadata,
    status: _status,
    ...rest
  } = object as SnapshotObject & {
    readonly status?: unknown;
  };
  const { labels = {}, annotations = {} } = metadata;
  // Objects are JSON: they were read from it.
  return { ...rest, metadata: { labels, annotations } } as unknown as JsonObject;
}

/** As a merge patch. */
function difference(before: JsonObject, after: JsonObject): JsonObject {
  const fields: [string, Json][] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]];
    if (is === undefined) fields.push([key, null]);
    else if (isJsonObject(was) && isJsonObject(is)) {
      const inside = difference(was, is);
      if (Object.keys(inside).length > 0) fields.push([key, inside]);
    } else if (!jsonEqual(was, is)) fields.push([key, is]);
  }
  return Object.fromEntries(fields);
}
