/**
 * The objects of a cluster at one moment, by kind: what plans and diagnoses are made from.
 *
 * It is read from a live cluster, a folder of manifests or a dump, and never changes; `changeSnapshot` returns another one.
 */
import { compareBytes } from '../../base/json.ts';
import type { ObjectMeta } from '../../kubernetes/meta/index.ts';
import type { Schema } from '../../kubernetes/schema/index.ts';

/** A kind by which objects are found. */
export type SnapshotKind<T> = {
  readonly group: string;
  readonly kind: string;
  readonly schema: Schema<T>;
};

/** Any object: the kind of its type decides what else it has. */
export type SnapshotObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

type Place = { readonly name: string; readonly namespace?: string };

export type ClusterSnapshot = {
  /** When it was taken. */
  readonly nowMs: number;
  /** By namespace and name; empty where the kind was not read. */
  readonly all: <T extends SnapshotObject>(kind: SnapshotKind<T>) => readonly T[];
  readonly get: <T extends SnapshotObject>(kind: SnapshotKind<T>, place: Place) => T | undefined;
  /** Whether the kind was read wholly: an absent object of another kind proves nothing. */
  readonly has: (kind: { readonly group: string; readonly kind: string }) => boolean;
  readonly objects: readonly SnapshotObject[];
  /** The kinds that were read wholly, as `KIND.GROUP`. */
  readonly kinds: ReadonlySet<string>;
};

type SnapshotParts = {
  readonly nowMs: number;
  readonly objects: Iterable<SnapshotObject>;
  /** Kinds that were read, also those without objects. */
  readonly kinds: Iterable<string>;
  /** Kinds of which objects are missing, as those in a damaged dump. */
  readonly incomplete?: ReadonlySet<string>;
};

export function clusterSnapshot({ nowMs, objects, kinds, incomplete }: SnapshotParts): ClusterSnapshot {
  const byKind = new Map<string, Map<string, SnapshotObject>>();
  const all = [...objects].toSorted(byPlace);
  for (const object of all) {
    const key = kindKey({ group: groupOf(object), kind: object.kind });
    const ofKind = byKind.get(key) ?? new Map<string, SnapshotObject>();
    byKind.set(key, ofKind.set(placeKey(object.metadata), object));
  }
  const lists = new Map([...byKind].map(([key, ofKind]) => [key, [...ofKind.values()]]));
  const known = new Set([...kinds, ...byKind.keys()].filter((key) => incomplete?.has(key) !== true));
  return {
    nowMs,
    // Objects of a kind have the type of its schema: they were read by it.
    all: <T extends SnapshotObject>(kind: SnapshotKind<T>) =>
      (lists.get(kindKey(kind)) ?? []) as unknown as readonly T[],
    get: <T extends SnapshotObject>(kind: SnapshotKind<T>, place: Place) =>
      byKind.get(kindKey(kind))?.get(placeKey(place)) as unknown as T | undefined,
    has: (kind) => known.has(kindKey(kind)),
    objects: all,
    kinds: known,
  };
}

/** `MachineConfigPool.machineconfiguration.openshift.io`, `Node`. */
export function kindKey({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return group === '' ? kind : `${kind}.${group}`;
}

export function groupOf({ apiVersion }: Pick<SnapshotObject, 'apiVersion'>): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

export function placeKey({ name, namespace = '' }: Place): string {
  return `${namespace}/${name}`;
}

function byPlace(a: SnapshotObject, b: SnapshotObject): number {
  return compareBytes(a.kind, b.kind) || compareBytes(placeKey(a.metadata), placeKey(b.metadata));
}
