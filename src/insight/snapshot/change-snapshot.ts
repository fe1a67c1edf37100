/**
 * A cluster after a change, as `kubectl apply` and `kubectl delete` would leave it before any controller acts.
 *
 * Objects that exist are merged as `kubectl apply` merges objects of custom kinds: fields of the manifest replace those of the
 * object, lists as a whole; fields that the last applied manifest had and this one does not go; all others stay, such as what
 * controllers have written. What was applied last is in an annotation or, after a server-side apply, in the managed fields. The API server is not asked: a preview sends no writes, not even dry runs.
 */
import { isJsonObject, isObject, type JsonObject, jsonEqual, own, parseJson } from '../../base/json.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import {
  type ClusterSnapshot,
  clusterSnapshot,
  groupOf,
  kindKey,
  placeKey,
  type SnapshotObject,
} from './cluster-snapshot.ts';

/** An object to delete. */
export type Deletion = {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
};

export type SnapshotChange = {
  readonly applied: readonly SnapshotObject[];
  readonly deleted: readonly Deletion[];
};

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function changeSnapshot(before: ClusterSnapshot, change: SnapshotChange): ClusterSnapshot {
  const objects = new Map(before.objects.map((object) => [keyOf(object), object]));
  for (const { group, kind, name, namespace } of change.deleted) {
    objects.delete(`${kindKey({ group, kind })}/${placeKey({ name, ...(namespace && { namespace }) })}`);
  }
  for (const [index, object] of change.applied.entries()) {
    const key = keyOf(object);
    const present = objects.get(key);
    // Created one after the other: the first one is the oldest.
    const createdMs = before.nowMs + index * 1_000;
    objects.set(key, present === undefined ? created(object, createdMs) : merged(present, object));
  }
  return clusterSnapshot({ nowMs: before.nowMs, objects: objects.values(), kinds: before.kinds });
}

function keyOf(object: SnapshotObject): string {
  return `${kindKey({ group: groupOf(object), kind: object.kind })}/${placeKey(object.metadata)}`;
}

/** As the server would: its age decides about its place among others of its kind. */
function created(object: SnapshotObject, createdMs: number): SnapshotObject {
  const { name } = object.metadata;
  // Objects are JSON: they were read from it. Nulls mean nothing.
  const given = mergeJson({}, withoutServerFields(object) as unknown as JsonObject, {});
  return {
    ...(given as unknown as SnapshotObject),
    metadata: {
      ...object.metadata,
      uid: `planned-${object.kind}-${name}`,
      creationTimestamp: formatTimestamp(createdMs),
      generation: 1,
    },
  };
}

/** A manifest cannot set the status of an object. */
function withoutServerFields(object: SnapshotObject): SnapshotObject {
  const { status: _, ...rest } = object as SnapshotObject & { readonly status?: unknown };
  return rest;
}

function merged(present: SnapshotObject, wanted: SnapshotObject): SnapshotObject {
  const last = mergeJson(
    appliedFields(present.metadata.managedFields ?? []),
    parsed(present.metadata.annotations?.[LAST_APPLIED]),
    {},
  );
  const { uid, resourceVersion, creationTimestamp, generation, managedFields, ...given } = wanted.metadata;
  // Objects are JSON: they were read from it.
  const result = mergeJson(
    present as unknown as JsonObject,
    { ...withoutServerFields(wanted), metadata: given } as unknown as JsonObject,
    last,
  );
  const object = result as unknown as SnapshotObject;
  const isSame = jsonEqual(specOf(object), specOf(present));
  const { generation: had = 1 } = present.metadata;
  return isSame ? object : { ...object, metadata: { ...object.metadata, generation: had + 1 } };
}

function specOf(object: SnapshotObject): unknown {
  return (object as SnapshotObject & { readonly spec?: unknown }).spec;
}

/** `last`: what was applied before; what it had and `wanted` does not have was removed from the manifest. */
function mergeJson(present: JsonObject, wanted: JsonObject, last: JsonObject): JsonObject {
  const fields = new Map(Object.entries(present));
  for (const key of Object.keys(last)) if (own(wanted, key) === undefined) fields.delete(key);
  for (const [key, value] of Object.entries(wanted)) {
    const had = fields.get(key);
    const base = isJsonObject(had) ? had : {};
    const applied = own(last, key);
    if (value === null) fields.delete(key);
    else if (isJsonObject(value))
      fields.set(key, mergeJson(base, value, isJsonObject(applied) ? applied : {}));
    else fields.set(key, value);
  }
  return Object.fromEntries(fields);
}

/** Other tools may have written anything there: then nothing is known of the last manifest. */
function parsed(text: string | undefined): JsonObject {
  const value = parseJson(text ?? '{}');
  return isJsonObject(value) ? value : {};
}

/** Our own components apply too, and what they own stays. */
const OURS = /^machine-?config|^machine-os/;

/** The fields that were applied on the server's side by anybody else, as an object with empty leaves. */
function appliedFields(managedFields: readonly unknown[]): JsonObject {
  const sets = managedFields.flatMap((entry) => {
    const { manager, operation, fieldsV1 } = isObject(entry) ? entry : {};
    const isUsers = operation === 'Apply' && typeof manager === 'string' && !OURS.test(manager);
    return isUsers && isObject(fieldsV1) ? [fieldNames(fieldsV1 as JsonObject)] : [];
  });
  return sets.reduce((all, one) => mergeJson(all, one, {}), {});
}

/** `{"f:spec":{"f:paused":{}}}` is `{"spec":{"paused":{}}}`. Items of lists are left out: lists are replaced as a whole. */
function fieldNames(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([key]) => key.startsWith('f:'))
      .map(([key, value]) => [key.slice(2), isJsonObject(value) ? fieldNames(value) : {}]),
  );
}
