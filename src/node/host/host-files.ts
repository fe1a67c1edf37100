/**
 * The files of a machine, over any disk: one implementation, so that the protocol that is tested with a power cut at every
 * call in memory is the one that runs on machines.
 */
import type { Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { type Disk, DiskError } from './disk.ts';
import { folderOf, inFolder } from './disk-paths.ts';
import { doing, failureOf } from './file-failures.ts';
import type { FileStat, FileSystemSpace, FileToWrite, HostFiles } from './host.ts';
import { checkParents, find, findTarget, type HostRoot, nearestFolder } from './host-root.ts';
import { watchPaths } from './watch-paths.ts';
import {
  type CloneFile,
  copyFile,
  type FolderToMake,
  makeFolder,
  movePath,
  removeTemporaryFiles,
  writeFile,
  writeLink,
} from './write-files.ts';

type HostFilesOptions = {
  readonly disk: Disk;
  /** The folder of the disk that is the root of the machine. */
  readonly root: string;
  readonly random: Pick<Random, 'next'>;
  /** Whether the file at this path belongs to a package of the OS. */
  readonly isPackaged: (path: string) => Promise<boolean>;
  /** Where files have more than content, mode and owner. Takes paths of the machine. */
  readonly clone?: CloneFile;
};

/** More than any file in a MachineConfig. */
const MAX_FILE_BYTES = 64 * 1024 ** 2;
const MAX_TREE_FILES = 100_000;

export function createHostFiles({ disk, root, random, isPackaged, clone }: HostFilesOptions): HostFiles {
  const at: HostRoot = { disk, root, random };
  return {
    stat: async (path: string) => (await find(at, path))?.stat,
    read: (path: string, maxBytes: number = MAX_FILE_BYTES) => readFile(at, path, maxBytes),
    list: (path: string) => listFolder(at, path),
    write: (path: string, file: FileToWrite) => writeFile(at, path, file),
    link: (path: string, target: string) => writeLink(at, path, target),
    copy: (from: string, to: string) => copyFile(at, { from, to, maxBytes: MAX_FILE_BYTES, clone }),
    move: (from: string, to: string) => movePath(at, from, to),
    makeFolder: (path: string, folder: FolderToMake) => makeFolder(at, path, folder),
    remove: (path: string) => removeFile(at, path),
    removeFolder: (path: string) => removeTree(at, path),
    removeTemporaryFiles: (paths: readonly string[]) => removeTemporaryFiles(at, paths),
    whyUnwritable: (path: string) => whyUnwritable(at, path),
    space: (path: string) => space(at, path),
    isOfOs: async (path: string) => {
      if (path.startsWith('/etc/') && (await find(at, `/usr${path}`)) !== undefined) return true;
      return (await find(at, path)) !== undefined && (await isPackaged(path));
    },
    watch: (paths, onChange, signal) => watchPaths(at, { paths, onChange, signal }),
  };
}

async function whyUnwritable(at: HostRoot, path: string): Promise<string | undefined> {
  const what = `open ${path}`;
  try {
    const folder = await nearestFolder(at, path);
    const isReadOnly = folder !== undefined && (await doing(what, () => at.disk.isReadOnly(folder)));
    if (isReadOnly) return failureOf(what, 'EROFS').message;
    await checkParents(at, folderOf(path));
    return (await find(at, path))?.stat?.kind === 'folder' ? failureOf(what, 'EISDIR').message : undefined;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'stalled') return error.message;
    throw error;
  }
}

async function space(at: HostRoot, path: string): Promise<FileSystemSpace | undefined> {
  const folder = await nearestFolder(at, path);
  return folder === undefined ? undefined : await doing(`statfs ${path}`, () => at.disk.space(folder));
}

async function readFile(at: HostRoot, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const place = await findTarget(at, path);
  if (place?.stat === undefined) return undefined;
  if (place.stat.kind === 'folder') throw failureOf(`read ${path}`, 'EISDIR');
  // Opening a pipe or a device may block, or have an effect.
  if (place.stat.kind === 'other') throw failureOf(`read ${path}`, 'EINVAL');
  return await orNothing(`read ${path}`, () => at.disk.read(place.path, maxBytes));
}

async function listFolder(at: HostRoot, path: string): Promise<readonly string[] | undefined> {
  const place = await findTarget(at, path);
  if (place?.stat?.kind !== 'folder') return undefined;
  const names = await orNothing(`open ${path}`, () => at.disk.list(place.path));
  return names === undefined ? undefined : [...names].sort();
}

/** A file that disappears before it is removed counts as missing. */
async function orNothing<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOENT') return undefined;
    return await doing(what, () => Promise.reject(error));
  }
}

async function removeFile(at: HostRoot, path: string): Promise<boolean> {
  const place = await find(at, path);
  if (place === undefined) return false;
  if (place.stat?.kind === 'folder') throw failureOf(`remove ${path}`, 'EISDIR');
  await doing(`remove ${path}`, () => at.disk.unlink(place.path));
  await doing(`sync ${folderOf(path)}`, () => at.disk.syncFolder(folderOf(place.path)));
  return true;
}

/** Also removes a link or file of that name: afterwards nothing exists at the path. */
async function removeTree(at: HostRoot, path: string): Promise<boolean> {
  const place = await find(at, path);
  if (place?.stat === undefined) return false;
  if (place.path === at.root) throw failureOf(`remove ${path}`, 'EBUSY');
  const left = { files: MAX_TREE_FILES };
  await doing(`remove ${path}`, () => removeBelow(at.disk, { path: place.path, stat: place.stat, left }));
  await doing(`sync ${folderOf(path)}`, () => at.disk.syncFolder(folderOf(place.path)));
  return true;
}

type Removal = {
  readonly path: string;
  readonly stat: FileStat | undefined;
  readonly left: { files: number };
};

/** The depth is bounded by the length of paths. */
async function removeBelow(disk: Disk, { path, stat, left }: Removal): Promise<void> {
  left.files -= 1;
  if (left.files < 0) throw new DiskError('EFBIG', path);
  if (stat?.kind !== 'folder') return await disk.unlink(path);
  for (const name of await disk.list(path)) {
    const child = inFolder(path, name);
    await removeBelow(disk, { path: child, stat: await disk.stat(child), left });
  }
  await disk.removeFolder(path);
}
