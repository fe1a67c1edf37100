/**
 * Reads, writes and removes directory trees of a disk, for the small trees of a sandbox.
 */
import { sameBytes } from '../../base/bytes.ts';
import type { ImageTree, Owner, TreeEntry } from '../../node/host/index.ts';
import { type Disk, DiskError, folderOf, inFolder } from '../../node/host/index.ts';

export type OwnedEntry = TreeEntry & { readonly owner: Owner };
/** By path below the directory: `/systemd/system/a.service`. */
export type OwnedTree = ReadonlyMap<string, OwnedEntry>;

const ROOT_OWNER: Owner = { uid: 0, gid: 0 };
const MAX_FILES = 100_000;
const MAX_FILE_BYTES = 64 * 1024 ** 2;

/** Empty if the directory does not exist. Skips devices. */
export async function readTree(disk: Disk, folder: string): Promise<OwnedTree> {
  const tree = new Map<string, OwnedEntry>();
  if ((await disk.stat(folder))?.kind === 'folder') await readBelow(disk, { folder, prefix: '', tree });
  return tree;
}

type Reading = {
  readonly folder: string;
  readonly prefix: string;
  readonly tree: Map<string, OwnedEntry>;
};

async function readBelow(disk: Disk, { folder, prefix, tree }: Reading): Promise<void> {
  for (const name of [...(await disk.list(folder))].sort()) {
    const [path, below] = [inFolder(folder, name), `${prefix}/${name}`];
    const stat = await disk.stat(path);
    if (stat === undefined || stat.kind === 'other') continue;
    if (tree.size >= MAX_FILES) throw new DiskError('EFBIG', folder);
    const { owner, mode } = stat;
    if (stat.kind === 'link') tree.set(below, { kind: 'link', target: stat.target ?? '', owner });
    else if (stat.kind === 'file') {
      tree.set(below, { kind: 'file', bytes: await disk.read(path, MAX_FILE_BYTES), mode, owner });
    } else {
      tree.set(below, { kind: 'folder', mode, owner });
      await readBelow(disk, { folder: path, prefix: below, tree });
    }
  }
}

/** Writes to a new directory and syncs everything. */
export async function writeTree(disk: Disk, folder: string, tree: OwnedTree | ImageTree): Promise<void> {
  const made = new Set([folder]);
  const files: string[] = [];
  await disk.makeFolder(folder, 0o755);
  for (const path of [...tree.keys()].sort()) {
    const entry = tree.get(path);
    if (entry === undefined) continue;
    const place = `${folder === '/' ? '' : folder}${path}`;
    await makeFolders(disk, folderOf(place), made);
    await writeEntry(disk, place, entry);
    if (entry.kind === 'folder') made.add(place);
    if (entry.kind === 'file') files.push(place);
  }
  await inGroups(files, (path) => disk.syncFile(path));
  await inGroups([...made], (path) => disk.syncFolder(path));
  await disk.syncFolder(folderOf(folder));
}

/**
 * Makes the content of a directory equal to the tree, writing only differences. Must be repeated if interrupted.
 */
export async function replaceTree(disk: Disk, folder: string, tree: ImageTree): Promise<void> {
  if ((await disk.stat(folder))?.kind !== 'folder') {
    await removeTree(disk, folder);
    return await writeTree(disk, folder, tree);
  }
  const wanted = withFolders(tree);
  const current = await readTree(disk, folder);
  const changed = new Set<string>();
  for (const path of [...current.keys()].sort().reverse()) {
    const [is, shall] = [current.get(path), wanted.get(path)];
    if (is === undefined || (shall !== undefined && isSameEntry(is, shall))) continue;
    // Kept directories keep their content.
    if (is.kind === 'folder' && shall?.kind === 'folder') continue;
    await removeBelow(disk, `${folder}${path}`);
    changed.add(folderOf(`${folder}${path}`));
  }
  const files: string[] = [];
  for (const path of [...wanted.keys()].sort()) {
    const [is, shall] = [current.get(path), wanted.get(path)];
    if (shall === undefined || (is !== undefined && isSameEntry(is, shall))) continue;
    await writeEntry(disk, `${folder}${path}`, shall);
    changed.add(folderOf(`${folder}${path}`));
    if (shall.kind === 'folder') changed.add(`${folder}${path}`);
    if (shall.kind === 'file') files.push(`${folder}${path}`);
  }
  await inGroups(files, (path) => disk.syncFile(path));
  // Others are gone, perhaps below what is a link now.
  const isFolder = (path: string) =>
    path === folder || wanted.get(path.slice(folder.length))?.kind === 'folder';
  await inGroups([...changed].filter(isFolder), (path) => disk.syncFolder(path));
}

/** Adds parent directories that an image does not list. */
export function withFolders(tree: ImageTree): OwnedTree {
  const all = new Map<string, OwnedEntry>(
    [...tree].map(([path, entry]) => [path, { ...entry, owner: ROOT_OWNER }]),
  );
  for (const path of tree.keys()) {
    const names = path.split('/');
    for (let count = 2; count < names.length; count++) {
      const above = names.slice(0, count).join('/');
      if (!all.has(above)) all.set(above, { kind: 'folder', mode: 0o755, owner: ROOT_OWNER });
    }
  }
  return all;
}

/** Concurrent syncs are batched by the disk. */
const SYNCS_AT_ONCE = 16;

async function inGroups(paths: readonly string[], sync: (path: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < paths.length; at += SYNCS_AT_ONCE) {
    await Promise.all(paths.slice(at, at + SYNCS_AT_ONCE).map(sync));
  }
}

async function makeFolders(disk: Disk, folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  await makeFolders(disk, folderOf(folder), made);
  if ((await disk.stat(folder)) === undefined) await disk.makeFolder(folder, 0o755);
  made.add(folder);
}

async function writeEntry(disk: Disk, path: string, entry: TreeEntry | OwnedEntry): Promise<void> {
  const owner = 'owner' in entry ? entry.owner : ROOT_OWNER;
  if (entry.kind === 'link') return await disk.makeLink(path, { target: entry.target });
  if (entry.kind === 'folder') {
    if ((await disk.stat(path)) === undefined) await disk.makeFolder(path, entry.mode);
  } else {
    await disk.create(path, entry.mode);
    await disk.write(path, entry.bytes);
  }
  if (owner.uid !== 0 || owner.gid !== 0) await disk.setOwner(path, owner);
  await disk.setMode(path, entry.mode);
}

/** Removes a path durably. */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const stat = await disk.stat(path);
  if (stat === undefined) return;
  await removeBelow(disk, path);
  await disk.syncFolder(folderOf(path));
}

/** Removes the content of a directory, which is created if missing. */
export async function emptyFolder(disk: Disk, folder: string): Promise<void> {
  if ((await disk.stat(folder))?.kind !== 'folder') {
    await removeTree(disk, folder);
    await disk.makeFolder(folder, 0o755);
    await disk.syncFolder(folderOf(folder));
  }
  for (const name of await disk.list(folder)) await removeBelow(disk, inFolder(folder, name));
  await disk.syncFolder(folder);
}

async function removeBelow(disk: Disk, path: string): Promise<void> {
  const stat = await disk.stat(path);
  if (stat?.kind !== 'folder') return await disk.unlink(path);
  for (const name of await disk.list(path)) await removeBelow(disk, inFolder(path, name));
  await disk.removeFolder(path);
}

export function isSameEntry(a: OwnedEntry, b: OwnedEntry): boolean {
  if (a.kind === 'link' || b.kind === 'link') {
    return a.kind === 'link' && b.kind === 'link' && a.target === b.target;
  }
  if (a.mode !== b.mode || a.owner.uid !== b.owner.uid || a.owner.gid !== b.owner.gid) return false;
  if (a.kind === 'folder' || b.kind === 'folder') return a.kind === b.kind;
  return sameBytes(a.bytes, b.bytes);
}
