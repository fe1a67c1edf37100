/**
 * Converts a config that has nothing newer than version 3.0 to 2.2.
 *
 * The two formats differ in the shape of a few things. Files name the filesystem that they are on, and the parts of a file (its
 * contents, and what is appended) are entries of their own, which Ignition writes in their order.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { File, Filesystem, IgnitionConfig, Partition, Resource, Unit, User } from './config.ts';

export function toVersion2(config: IgnitionConfig): Outcome<JsonObject> {
  const problems = [...partitionProblems(config), ...formatProblems(config)];
  return problems.length > 0 ? invalid(problems) : ok(compact(converted(config)) as JsonObject);
}

function partitionProblems({ storage }: IgnitionConfig): readonly Problem[] {
  return (storage?.disks ?? []).flatMap(({ partitions = [] }, disk) =>
    partitions.flatMap((partition, index) => {
      const path = `storage.disks[${disk}].partitions[${index}]`;
      const message = partitionProblem(partition);
      return message === undefined ? [] : [{ path, message, reason: 'FieldValueNotSupported' as const }];
    }),
  );
}

function partitionProblem(partition: Partition): string | undefined {
  // 2.2 counts in sectors, whose size depends on the disk.
  if (partition.sizeMiB !== undefined || partition.startMiB !== undefined) {
    return 'SizeMiB and StartMiB in Storage.Disks.Partitions is not supported on 2.2';
  }
  if (partition.wipePartitionEntry === true) {
    return 'WipePartitionEntry in Storage.Disks.Partitions is not supported on 2.2';
  }
  if (partition.shouldExist === false) {
    return 'ShouldExist in Storage.Disks.Partitions is not supported on 2.2';
  }
  return undefined;
}

function formatProblems({ storage }: IgnitionConfig): readonly Problem[] {
  return (storage?.filesystems ?? []).flatMap(({ format = '' }, index) => {
    const path = `storage.filesystems[${index}].format`;
    const message = 'a filesystem without a format is not supported on 2.2';
    return format === '' ? [{ path, message, reason: 'FieldValueNotSupported' as const }] : [];
  });
}

function converted({ ignition, passwd, storage, systemd }: IgnitionConfig): unknown {
  const filesystems = named(storage?.filesystems ?? []);
  const placed = <T extends Placed>(node: T) => placeOn(filesystems, node);
  return {
    ignition: {
      version: ignition.version,
      config: {
        append: ignition.config?.merge?.map(reference),
        replace: ignition.config?.replace && reference(ignition.config.replace),
      },
      timeouts: ignition.timeouts,
      security: {
        tls: { certificateAuthorities: ignition.security?.tls?.certificateAuthorities?.map(reference) },
      },
    },
    passwd: { users: passwd?.users?.map(userOf), groups: passwd?.groups },
    storage: {
      disks: storage?.disks?.map(({ device, wipeTable, partitions }) => ({
        device,
        wipeTable,
        partitions: partitions?.map(({ number, label, typeGuid, guid }) => ({
          number,
          label,
          typeGuid,
          guid,
        })),
      })),
      raid: storage?.raid,
      filesystems: filesystems.map(filesystemOf),
      files: storage?.files?.flatMap((file) => filesOf(placed(file))),
      directories: storage?.directories?.map(placed),
      links: storage?.links?.map(placed),
    },
    systemd: { units: systemd?.units?.map(unitOf) },
  };
}

/** A config or a CA: 2.2 has neither compression nor headers for them, which are checked before. */
function reference({ source = '', verification }: Resource): unknown {
  return source === '' ? undefined : { source, verification };
}

function userOf(user: User): unknown {
  // An empty hash removes the password, so it must not be dropped with the other empty values.
  const { passwordHash, ...rest } = user;
  return { ...rest, ...(passwordHash === undefined ? {} : { passwordHash: kept(passwordHash) }) };
}

function unitOf({ enabled, ...unit }: Unit): unknown {
  return { ...unit, ...(enabled === undefined ? {} : { enabled: kept(enabled) }) };
}

type NamedFilesystem = { readonly name: string; readonly filesystem: Filesystem };

/** By the path where it is mounted, which is unique; those without one have a number, and nothing is on them. */
function named(filesystems: readonly Filesystem[]): readonly NamedFilesystem[] {
  let unnamed = 0;
  return filesystems.map((filesystem) => ({
    name: filesystem.path ? filesystem.path : String(++unnamed),
    filesystem,
  }));
}

function filesystemOf({ name, filesystem }: NamedFilesystem): unknown {
  const { device, format, wipeFilesystem, label, uuid, options } = filesystem;
  return { name, mount: { device, format, wipeFilesystem, label, uuid, options } };
}

type Placed = { readonly path: string };

/** On the filesystem that is mounted closest above it; its path is from there. */
function placeOn<T extends Placed>(
  filesystems: readonly NamedFilesystem[],
  node: T,
): T & { readonly filesystem: string } {
  const above = filesystems
    .map(({ filesystem }) => filesystem.path ?? '')
    .filter((path) => path !== '' && isBelow(path, node.path))
    .toSorted((a, b) => b.length - a.length)[0];
  if (above === undefined) return { ...node, filesystem: 'root' };
  const rest = above === '/' ? node.path : node.path.slice(above.length);
  return { ...node, filesystem: above, path: rest === '' ? '/' : rest };
}

function isBelow(mount: string, path: string): boolean {
  return mount === '/' || path === mount || path.startsWith(`${mount}/`);
}

/**
 * One entry for each part. An appended part does not say `overwrite`: Ignition 0.35 refuses `false` where the file exists. A file
 * without contents exists afterwards and keeps what it has: nothing is appended to it.
 */
function filesOf({
  contents,
  append = [],
  overwrite,
  ...node
}: File & { readonly filesystem: string }): readonly unknown[] {
  const part = ({ source, compression, verification }: Resource) => ({ source, compression, verification });
  const appended = (resource: Resource) => ({ ...node, append: true, contents: part(resource) });
  if (contents?.source === undefined) {
    return append.length === 0 ? [{ ...node, append: true }] : append.map(appended);
  }
  // 2.2 overwrites unless it is told otherwise, 3.x does not.
  const first = { ...node, overwrite: kept(overwrite ?? false), contents: part(contents) };
  return [first, ...append.map(appended)];
}

/** A value that is written even if it is empty. */
type Kept = { readonly kept: string | boolean };
const kept = (value: string | boolean): Kept => ({ kept: value });

/** Without empty values, which mean the same as none in 2.2: empty strings, `false`, and lists and structs without anything. */
function compact(value: unknown): unknown {
  if (value === '' || value === false || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(compact).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value !== 'object') return value;
  if ('kept' in value) return value.kept;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const inner = compact(item);
    return inner === undefined ? [] : [[name, inner] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
