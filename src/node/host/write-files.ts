/**
 * Writes files atomically: readers see the old or the new one, before, during and after a power cut.
 *
 *     temporary file beside it → mode → content → owner → sync → rename → sync of the folder
 *
 * The mode is set before the content, so that the content is never readable without permission.
 */
import { Failure } from '../../base/errors.ts';
import { DiskError } from './disk.ts';
import { folderOf, inFolder, nameOf, namesOf } from './disk-paths.ts';
import { doing, failureOf } from './file-failures.ts';
import { type Place, shown } from './follow-links.ts';
import type { FileToWrite, Owner } from './host.ts';
import {
  find,
  findTarget,
  type HostRoot,
  isTemporaryNameOf,
  makeBeside,
  makeParents,
  refuseMode,
  type Spot,
  spotOf,
} from './host-root.ts';

const MAX_MODE = 0o777;
const MAX_COPIED_MODE = 0o7777;

export async function writeFile(at: HostRoot, path: string, file: FileToWrite): Promise<void> {
  refuseMode(path, file.mode, MAX_MODE);
  await replaceWithFile(at, await spotOf(at, path), file);
}

export async function writeLink(at: HostRoot, path: string, target: string): Promise<void> {
  const spot = await spotOf(at, path);
  const verb = `symlink ${target}`;
  const beside = await makeBeside(at, spot, { verb, make: (made) => at.disk.makeLink(made, { target }) });
  await orElseRemove(at, beside, () => moveIntoPlace(at, beside, spot));
}

/** Copies a file with all its metadata. Takes paths of the machine without links. */
export type CloneFile = (paths: { readonly from: string; readonly to: string }) => Promise<void>;

type Copy = {
  readonly from: string;
  readonly to: string;
  readonly maxBytes: number;
  readonly clone?: CloneFile | undefined;
};

export async function copyFile(at: HostRoot, { from, to, maxBytes, clone }: Copy): Promise<void> {
  const source = await find(at, from);
  if (source?.stat === undefined) throw failureOf(`open ${from}`, 'ENOENT');
  const { stat } = source;
  if (stat.kind === 'link') return await writeLink(at, to, stat.target ?? '');
  if (stat.kind === 'folder') throw failureOf(`copy ${from}`, 'EISDIR');
  if (stat.kind === 'other') throw failureOf(`copy ${from}`, 'EINVAL');
  const spot = await spotOf(at, to);
  if (clone !== undefined) return await replaceWithClone(at, { from: source.path, spot, clone });
  const bytes = await doing(`read ${from}`, () => at.disk.read(source.path, maxBytes));
  await replaceWithFile(at, spot, { bytes, mode: stat.mode & MAX_COPIED_MODE, owner: stat.owner });
}

export async function movePath(at: HostRoot, from: string, to: string): Promise<void> {
  const { disk } = at;
  const what = `rename ${from} ${to}`;
  const source = await find(at, from);
  if (source === undefined) throw failureOf(what, 'ENOENT');
  const spot = await spotOf(at, to);
  if ((await doing(what, () => disk.stat(spot.path))) !== undefined) throw failureOf(what, 'EEXIST');
  await doing(what, () => disk.rename({ from: source.path, to: spot.path }));
  for (const folder of new Set([spot.folder, folderOf(source.path)])) {
    await doing(`sync ${spot.shownFolder}`, () => disk.syncFolder(folder));
  }
}

async function replaceWithFile(at: HostRoot, spot: Spot, file: FileToWrite): Promise<void> {
  const { disk } = at;
  const beside = await makeBeside(at, spot, { verb: 'open', make: (made) => disk.create(made, 0o600) });
  const { path, shownPath } = beside;
  await orElseRemove(at, beside, async () => {
    await doing(`chmod ${shownPath}`, () => disk.setMode(path, file.mode));
    await doing(`write ${shownPath}`, () => disk.write(path, file.bytes));
    const { owner } = file;
    if (owner !== undefined) {
      await doing(`chown ${shownPath}`, () => disk.setOwner(path, owner));
      // A change of the owner clears setuid and setgid.
      if (file.mode > MAX_MODE) await doing(`chmod ${shownPath}`, () => disk.setMode(path, file.mode));
    }
    await doing(`sync ${shownPath}`, () => disk.syncFile(path));
    await moveIntoPlace(at, beside, spot);
  });
}

type Clone = { /** On the disk. */ readonly from: string; readonly spot: Spot; readonly clone: CloneFile };

async function replaceWithClone(at: HostRoot, { from, spot, clone }: Clone): Promise<void> {
  const { disk } = at;
  const beside = await makeBeside(at, spot, { verb: 'open', make: (made) => disk.create(made, 0o600) });
  await orElseRemove(at, beside, async () => {
    await clone({ from: shown(at.root, from), to: shown(at.root, beside.path) });
    await doing(`sync ${beside.shownPath}`, () => disk.syncFile(beside.path));
    await moveIntoPlace(at, beside, spot);
  });
}

async function moveIntoPlace({ disk }: HostRoot, beside: Spot, spot: Spot): Promise<void> {
  const what = `rename ${beside.shownPath} ${spot.shownPath}`;
  const there = await doing(what, () => disk.stat(spot.path));
  // The rename would fail with "is a directory"; Go checks first, and its message is the known one.
  if (there?.kind === 'folder') throw failureOf(what, 'EEXIST');
  await doing(what, () => disk.rename({ from: beside.path, to: spot.path }));
  await doing(`sync ${spot.shownFolder}`, () => disk.syncFolder(spot.folder));
}

/** Removes the temporary file of a failed write, if the disk permits. */
async function orElseRemove({ disk }: HostRoot, beside: Spot, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    try {
      await disk.unlink(beside.path);
      // Otherwise a power cut could bring it back.
      await disk.syncFolder(beside.folder);
    } catch (again) {
      // The first failure matters; the temporary file is found by its name later.
      if (!(again instanceof DiskError)) throw error;
    }
    throw error;
  }
}

export type FolderToMake = { readonly mode: number; readonly owner?: Owner };

/** Like `mkdir -p -m MODE`, durably. Existing folders are unchanged; new ones get the owner. */
export async function makeFolder(at: HostRoot, path: string, folder: FolderToMake): Promise<void> {
  refuseMode(path, folder.mode, MAX_COPIED_MODE);
  const names = await doing(`mkdir ${path}`, async () => namesOf(path));
  const ways = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
  const missing: string[] = [];
  for (const way of ways.reverse()) {
    if ((await find(at, way)) !== undefined) break;
    missing.unshift(way);
  }
  for (const one of missing.slice(0, -1)) await makeOwnFolder(at, one, { ...folder, mode: 0o755 });
  const last = missing.at(-1);
  if (last !== undefined) return await makeOwnFolder(at, last, folder);
  await makeParents(at, path);
}

/** Created under a temporary name: a half-created folder with its final name would stay so. */
async function makeOwnFolder(at: HostRoot, path: string, { mode, owner }: FolderToMake): Promise<void> {
  const { disk } = at;
  const spot = await spotOf(at, path);
  const beside = await makeBeside(at, spot, { verb: 'mkdir', make: (made) => disk.makeFolder(made, 0o700) });
  if (owner !== undefined) {
    await doing(`chown ${beside.shownPath}`, () => disk.setOwner(beside.path, owner));
  }
  await doing(`chmod ${beside.shownPath}`, () => disk.setMode(beside.path, mode));
  await doing(`sync ${beside.shownPath}`, () => disk.syncFolder(beside.path));
  await doing(`mkdir ${path}`, () => disk.rename({ from: beside.path, to: spot.path }));
  await doing(`sync ${spot.shownFolder}`, () => disk.syncFolder(spot.folder));
}

/** Removes the temporary files that interrupted writes to these paths left beside them. Returns their number. */
export async function removeTemporaryFiles(at: HostRoot, paths: readonly string[]): Promise<number> {
  const namesByFolder = new Map<string, Set<string>>();
  for (const path of paths) {
    const folder = await folderToSweep(at, folderOf(path));
    if (folder?.stat?.kind !== 'folder') continue;
    namesByFolder.set(folder.path, (namesByFolder.get(folder.path) ?? new Set()).add(nameOf(path)));
  }
  let count = 0;
  for (const [folder, names] of namesByFolder) count += await sweep(at, folder, names);
  return count;
}

/** Where a path leads nowhere, as through circular links, nothing was written. */
async function folderToSweep(at: HostRoot, path: string): Promise<Place | undefined> {
  try {
    return await findTarget(at, path);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'stalled') return undefined;
    throw error;
  }
}

async function sweep({ disk }: HostRoot, folder: string, names: ReadonlySet<string>): Promise<number> {
  return await doing(`remove what is left over in ${folder}`, async () => {
    const listed = await disk.list(folder);
    const left = listed.filter((name) => [...names].some((of) => isTemporaryNameOf(name, of)));
    for (const name of left) {
      const path = inFolder(folder, name);
      if ((await disk.stat(path))?.kind === 'folder') await disk.removeFolder(path);
      else await disk.unlink(path);
    }
    if (left.length > 0) await disk.syncFolder(folder);
    return left.length;
  });
}
