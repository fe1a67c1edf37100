/**
 * Resolves the links of a path within a root, name by name, never out of it.
 *
 * An absolute link is resolved from the root, and `..` stays below it. So for any links on the machine, the
 * result is a path below the root without links, as a `Disk` requires.
 */
import { type Disk, DiskError } from './disk.ts';
import { folderOf, inFolder, namesOf } from './disk-paths.ts';
import type { FileStat } from './host.ts';

/** The limit of Linux. */
const MAX_LINKS = 40;

export type Place = {
  /** On the disk. Its folder exists, or `missing` is true. */
  readonly path: string;
  /** `undefined` where it does not exist. */
  readonly stat: FileStat | undefined;
  /** A parent folder is missing too; the path is the one that it would have. */
  readonly isFolderMissing: boolean;
};

type Way = {
  readonly disk: Disk;
  /** A folder of the disk, clean. */
  readonly root: string;
  readonly path: string;
  /** Whether a link at the end is resolved as well. */
  readonly isLastFollowed: boolean;
  /** Called with each name that is looked up, and its folder. */
  readonly onLookup?: (folder: string, name: string) => void;
};

export async function followLinks({ disk, root, path, isLastFollowed, onLookup }: Way): Promise<Place> {
  const left = [...namesOf(path)];
  const way = new StatWay(disk);
  let at: Place = { path: root, stat: await way.begin(root, left), isFolderMissing: false };
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      at = await above(root, at, (folder) => way.begin(folder, left));
      continue;
    }
    if (at.stat === undefined) {
      at = { path: inFolder(at.path, name), stat: undefined, isFolderMissing: true };
      continue;
    }
    if (at.stat.kind !== 'folder') throw new DiskError('ENOTDIR', shown(root, at.path));
    const next = inFolder(at.path, name);
    onLookup?.(at.path, name);
    const stat = await way.next(next);
    if (stat?.kind !== 'link' || (left.length === 0 && !isLastFollowed)) {
      at = { path: next, stat, isFolderMissing: false };
      continue;
    }
    links += 1;
    const target = stat.target ?? '';
    if (links > MAX_LINKS) throw new DiskError('ELOOP', path);
    if (target === '') throw new DiskError('ENOENT', path);
    left.unshift(...namesOf(target.startsWith('/') ? target : `/${target}`));
    if (target.startsWith('/')) {
      at = { path: root, stat: await way.begin(root, left), isFolderMissing: false };
    }
  }
  return at;
}

/** `..` of a missing folder does not exist either: Linux looks up each name. */
async function above(root: string, at: Place, statOf: (path: string) => StatResult): Promise<Place> {
  if (at.stat === undefined) throw new DiskError('ENOENT', shown(root, at.path));
  if (at.stat.kind !== 'folder') throw new DiskError('ENOTDIR', shown(root, at.path));
  const path = at.path === root ? root : folderOf(at.path);
  return { path, stat: await statOf(path), isFolderMissing: false };
}

type StatResult = Promise<FileStat | undefined>;

/** The stats on the way down from a folder: all at once where the disk can do that, else one by one. */
class StatWay {
  readonly #disk: Disk;
  #ahead: (FileStat | undefined)[] = [];

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** The stat of the folder; `names` are looked up next, as far as they lead down. */
  async begin(folder: string, names: readonly string[]): StatResult {
    if (this.#disk.statWay === undefined) return await this.#disk.stat(folder);
    const up = names.indexOf('..');
    this.#ahead = [...(await this.#disk.statWay(folder, up < 0 ? names : names.slice(0, up)))];
    return this.#ahead.shift();
  }

  async next(path: string): StatResult {
    return this.#ahead.length > 0 ? this.#ahead.shift() : await this.#disk.stat(path);
  }
}

/** The path on the machine. */
export function shown(root: string, path: string): string {
  if (root === '/') return path;
  return path.slice(root.length) || '/';
}
