/**
 * Objects that no rehearsal acts on: builds of OS images and pinned images need a registry and a builder, which a simulated cluster does not
 * have. They are not copied, a change of them is not made, and what follows from that is said. Pure.
 */
import {
  type MachineOSConfig,
  machineConfigNode,
  machineOSBuild,
  machineOSConfig as machineOSConfigKind,
  pinnedImageSet,
} from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import {
  type ClusterSnapshot,
  changeSnapshot,
  type SnapshotChange,
  type SnapshotObject,
} from '../../insight/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';

export type LeftOut = {
  /** `MachineOSConfig/infra`. */
  readonly object: string;
  /** What follows from the change of it, and is not rehearsed. */
  readonly consequence: string;
};

const KINDS: ReadonlySet<string> = new Set(
  [machineOSConfigKind, machineOSBuild, pinnedImageSet, machineConfigNode].map(
    (kind) => `${apiVersionOf(kind)} ${kind.kind}`,
  ),
);

export function isLeftOut({ apiVersion, kind }: Pick<SnapshotObject, 'apiVersion' | 'kind'>): boolean {
  return KINDS.has(`${apiVersion} ${kind}`);
}

/** What a change does to such objects; those that it leaves as they are do not count. */
export function leftOutOf(before: ClusterSnapshot, change: SnapshotChange): readonly LeftOut[] {
  const [was, is] = [before, changeSnapshot(before, change)].map(
    ({ objects }) => new Map(objects.filter(isLeftOut).map((object) => [nameIn(object), object])),
  );
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  return names.flatMap((object) => {
    const [old, now] = [was?.get(object), is?.get(object)];
    const some = now ?? old;
    if (some === undefined || hasSameSpec(old, now)) return [];
    return [{ object, consequence: consequenceOf(some, now === undefined) }];
  });
}

function nameIn({ kind, metadata }: SnapshotObject): string {
  return `${kind}/${metadata.name}`;
}

function hasSameSpec(old: SnapshotObject | undefined, now: SnapshotObject | undefined): boolean {
  if (old === undefined || now === undefined) return false;
  return jsonEqual(specOf(old), specOf(now));
}

function specOf(object: SnapshotObject) {
  // Objects are JSON: they were read from it.
  return (object as unknown as { readonly spec?: Parameters<typeof jsonEqual>[0] }).spec;
}

function consequenceOf(object: SnapshotObject, isDeleted: boolean): string {
  if (object.kind === pinnedImageSet.kind) {
    return isDeleted ? 'nodes unpin its images' : 'nodes pull and pin its images';
  }
  if (object.kind !== machineOSConfigKind.kind) return 'what follows from it';
  // The kind has the schema of its objects.
  const { spec } = object as unknown as MachineOSConfig;
  const pool = spec.machineConfigPool.name;
  return isDeleted
    ? `the update of the nodes of pool ${pool} back to an image without a build, with a reboot`
    : `the build of the image of pool ${pool}, and the update of its nodes to that image, with a reboot`;
}
