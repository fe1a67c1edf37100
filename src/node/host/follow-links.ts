/**
 * Where a path leads once the links on its way are followed: within a root, name by name, never out of it.
 *
 * An absolute link begins again at the root, `..` stays below it. So whatever somebody planted on the machine, the
 * outcome is a path below the root without any link on its way, which is what a `Disk` takes.
 */
import { type Disk, DiskError } from './disk.ts';
import { folderOf, inFolder, namesOf } from './disk-paths.ts';
import type { FileStat } from './host.ts';

/** As Linux has it. */
const MAX_LINKS = 40;

export type Place = {
  /** On the disk. Its folder is there, or `missing` is true. */
  readonly path: string;
  /** `undefined` where there is nothing. */
  readonly stat: FileStat | undefined;
  /** Some folder on the way is missing too; the path then is as it would be. */
  readonly isFolderMissing: boolean;
};

type Way = {
  readonly disk: Disk;
  /** A folder of the disk, clean. */
  readonly root: string;
  readonly path: string;
  /** Whether a link at the very end is followed as well. */
  readonly isLastFollowed: boolean;
  /** Told of each name that was looked up, and in which folder. */
  readonly onLookup?: (folder: string, name: string) => void;
};

export async function followLinks({ disk, root, path, isLastFollowed, onLookup }: Way): Promise<Place> {
  const left = [...namesOf(path)];
  let at: Place = { path: root, stat: await disk.stat(root), isFolderMissing: false };
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      at = await above(disk, root, at);
      continue;
    }
    if (at.stat === undefined) {
      at = { path: inFolder(at.path, name), stat: undefined, isFolderMissing: true };
      continue;
    }
    if (at.stat.kind !== 'folder') throw new DiskError('ENOTDIR', shown(root, at.path));
    const next = inFolder(at.path, name);
    onLookup?.(at.path, name);
    const stat = await disk.stat(next);
    if (stat?.kind !== 'link' || (left.length === 0 && !isLastFollowed)) {
      at = { path: next, stat, isFolderMissing: false };
      continue;
    }
    links += 1;
    const target = stat.target ?? '';
    if (links > MAX_LINKS) throw new DiskError('ELOOP', path);
    if (target === '') throw new DiskError('ENOENT', path);
    left.unshift(...namesOf(target.startsWith('/') ? target : `/${target}`));
    if (target.startsWith('/')) at = { path: root, stat: await disk.stat(root), isFolderMissing: false };
  }
  return at;
}

/** A folder that is missing has no folder above it either: Linux looks up each name on the way. */
async function above(disk: Disk, root: string, at: Place): Promise<Place> {
  if (at.stat === undefined) throw new DiskError('ENOENT', shown(root, at.path));
  if (at.stat.kind !== 'folder') throw new DiskError('ENOTDIR', shown(root, at.path));
  const path = at.path === root ? root : folderOf(at.path);
  return { path, stat: await disk.stat(path), isFolderMissing: false };
}

/** The path as the machine knows it. */
export function shown(root: string, path: string): string {
  if (root === '/') return path;
  return path.slice(root.length) || '/';
}
