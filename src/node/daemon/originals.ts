/**
 * Keeps files that a config replaces, and restores them once no config has the path any more.
 *
 *     a file of the OS ────────────> it is copied, once            orig/<path>.mcdorig
 *     any other path ──────────────> an empty file marks it        noorig/<path>.mcdnoorig
 *     a file of whoever else ──────> both                          it is the machine's, though not the OS's
 *
 * During an update, files that no config owns are backed up too (`backUpFiles`).
 */
import { sameBytes } from '../../base/bytes.ts';
import type { FileStat, FileToWrite, Host } from '../host/index.ts';
import { type NodeConfig, pathsOf, unitPath } from '../plan/index.ts';
import { isFatal } from './outcome.ts';
import { quarantine } from './read-state.ts';
import {
  absencePath,
  BACKUPS,
  backupPath,
  DAEMON_FOLDER,
  noOriginalPath,
  ORIGINALS_PENDING,
  originalPath,
} from './state-paths.ts';

type Files = Pick<Host, 'files'>;

const MARKER = { bytes: new Uint8Array(), mode: 0o644 };

export type Keeping = {
  /** A config has written it already, so that only the default of the OS can be copied. */
  readonly isWritten?: boolean;
  /** The config that the machine has does not have the path: what is there was put there by someone else. */
  readonly isForeign?: boolean;
};

/** Called before anything is written to the path. Repeating it changes nothing. */
export async function keepOriginal(
  { files }: Files,
  path: string,
  { isWritten = false, isForeign = false }: Keeping = {},
): Promise<void> {
  const original = originalPath(path);
  const marker = noOriginalPath(path);
  if (await files.isOfOs(path)) {
    if ((await files.stat(original)) !== undefined) return;
    const source = isWritten || (await files.stat(path)) === undefined ? `/usr${path}` : path;
    const kind = (await files.stat(source))?.kind;
    if (kind !== 'folder' && (kind !== undefined || !isWritten)) await files.copy(source, original);
    return;
  }
  if ((await files.stat(marker)) !== undefined) return;
  // The mark is last: without it the path has not been written to yet, and the copy is made again.
  if (isForeign && isFileOrLink(await files.stat(path))) await files.copy(path, original);
  else await files.remove(original);
  await files.write(marker, MARKER);
}

/** The OS's own units are below /usr; the copy is taken there, not of an edited one. */
export async function keepOriginalUnit(
  { files }: Files,
  path: string,
  { isForeign = false }: Keeping = {},
): Promise<void> {
  const original = originalPath(path);
  if ((await files.stat(`/usr${path}`)) === undefined) {
    if (isForeign) await keepOriginal({ files }, path, { isForeign });
    return;
  }
  if ((await files.stat(original)) === undefined) await files.copy(`/usr${path}`, original);
}

type RevertOptions = {
  readonly isUnit?: boolean;
  /** Of an update that did not succeed: it has backed up what it overwrites, and may not have written to the path at all. */
  readonly isUndo?: boolean;
};

/**
 * Removes what a config wrote to the path, or restores what was there. `kept`: the previous file is restored, and its copy
 * stays until the update has ended: repeated without it, this would remove a file that is not the config's. A file that
 * already matches is not written: its folder may be read-only. Folders are ignored: no config creates one.
 */
export async function revertFile(
  { files }: Files,
  path: string,
  { isUnit = false, isUndo = false }: RevertOptions = {},
): Promise<'removed' | 'kept' | 'nothing'> {
  const original = originalPath(path);
  const marker = noOriginalPath(path);
  const isMarked = (await files.stat(marker)) !== undefined;
  if (isUndo && (await restore({ files }, backupPath(path), path))) {
    if (isMarked) await files.remove(original);
    await files.remove(marker);
    return 'kept';
  }
  const hasOriginal = (await files.stat(original)) !== undefined;
  if (hasOriginal && (isMarked || isUnit || (await files.isOfOs(path)))) {
    await restore({ files }, original, path);
    return 'kept';
  }
  // Every write creates one of the two first, except for units that the OS does not have.
  if (isUndo && !isUnit && !isMarked && !hasOriginal) return 'nothing';
  const isThere = isFileOrLink(await files.stat(path));
  if (isThere) await files.remove(path);
  // Last: they show that the path was written to.
  await files.remove(isMarked ? marker : original);
  return isThere ? 'removed' : 'nothing';
}

/** At the end of an update: removes the copies of restored files. The mark is first: alone it would forbid a new copy. */
export async function forgetOriginals({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await files.remove(noOriginalPath(path));
    await files.remove(originalPath(path));
  }
}

/** Backs up files that the new config overwrites, so that a rollback can restore them. */
export async function backUpFiles({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (isFileOrLink(await files.stat(path))) await files.copy(path, backupPath(path));
  }
}

export async function restoreFiles(host: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) await restore(host, backupPath(path), path);
}

/** For a step that may have begun already: what it has written itself is not backed up. */
export async function backupOnce({ files }: Files, path: string): Promise<void> {
  if ((await files.stat(backupPath(path))) !== undefined) return;
  if ((await files.stat(absencePath(path))) !== undefined) return;
  if (isFileOrLink(await files.stat(path))) await files.copy(path, backupPath(path));
  else await recordAbsence({ files }, path);
}

export async function recordAbsence({ files }: Files, path: string): Promise<void> {
  await files.write(absencePath(path), MARKER);
}

/** The undo of a step that begins with `backupOnce`; before that it has written nothing. */
export async function restoreOrRemove({ files }: Files, path: string): Promise<void> {
  if (await restore({ files }, backupPath(path), path)) return;
  if ((await files.stat(absencePath(path))) === undefined) return;
  if (isFileOrLink(await files.stat(path))) await files.remove(path);
}

/**
 * Writes the file, and returns whether it changes. A failure is ignored where the file already matches, as on a read-only
 * mount.
 */
export async function ensureFile(
  { files }: Files,
  path: string,
  { onChange, ...file }: FileToWrite & { readonly onChange?: () => void },
): Promise<boolean> {
  const wasThere = await matches({ files }, path, file);
  if (!wasThere) onChange?.();
  try {
    await files.write(path, file);
  } catch (error) {
    if (!wasThere || isFatal(error)) throw error;
  }
  return !wasThere;
}

/** Returns whether there is a copy. It replaces the path atomically. */
async function restore({ files }: Files, copy: string, path: string): Promise<boolean> {
  const kept = await files.stat(copy);
  if (kept === undefined) return false;
  const there = await files.stat(path);
  if (kept.kind === 'link' && there?.kind === 'link' && kept.target === there.target) return true;
  const bytes =
    kept.kind === 'file' && there?.kind === 'file' ? await readIfPossible(files, copy) : undefined;
  const isSame = bytes !== undefined && (await matches({ files }, path, { ...kept, bytes }));
  if (!isSame) await files.copy(copy, path);
  return true;
}

/** Whether the file needs not be written. */
export async function matches({ files }: Files, path: string, { bytes, mode, owner }: FileToWrite) {
  const there = await files.stat(path);
  if (there?.kind !== 'file' || there.mode !== mode || there.sizeBytes !== bytes.length) return false;
  if (owner !== undefined && (there.owner.uid !== owner.uid || there.owner.gid !== owner.gid)) return false;
  const found = await readIfPossible(files, path);
  return found !== undefined && sameBytes(found, bytes);
}

/** A file that is too large or unreadable is not compared, but written. */
async function readIfPossible(files: Files['files'], path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (isFatal(error)) throw error;
    return undefined;
  }
}

function isFileOrLink(stat: FileStat | undefined): boolean {
  return stat?.kind === 'file' || stat?.kind === 'link';
}

/**
 * Repairs the copies and marks: where a file is in the place of one of their folders, or a folder in the place of one of them. Both
 * can be made again: the OS keeps its defaults below /usr. Called when a daemon starts, with all configs that may be on the disk;
 * returns what was damaged.
 */
export async function repairOriginals(
  host: Files,
  configs: readonly NodeConfig[],
): Promise<readonly string[]> {
  const { files } = host;
  const damaged = await damagedParts(host, configs);
  if (damaged.length === 0 && (await files.stat(ORIGINALS_PENDING)) === undefined) return [];
  // Once they are out of the way nothing else shows that some are missing.
  await files.write(ORIGINALS_PENDING, MARKER);
  for (const path of damaged) await quarantine(host, path);
  for (const config of configs) await rebuild(host, config);
  await files.remove(ORIGINALS_PENDING);
  return damaged;
}

/** What is in the way, the outermost first. */
async function damagedParts({ files }: Files, configs: readonly NodeConfig[]): Promise<readonly string[]> {
  const wanted = configs.flatMap((config) =>
    pathsOf(config).flatMap((path) => [originalPath(path), noOriginalPath(path)]),
  );
  const folders = new Set([BACKUPS, ...wanted.flatMap(foldersAbove)]);
  const damaged: string[] = [];
  const isBelowDamaged = (path: string) => damaged.some((one) => path.startsWith(`${one}/`));
  for (const path of [...folders].sort()) {
    const kind = isBelowDamaged(path) ? undefined : (await files.stat(path))?.kind;
    if (kind !== undefined && kind !== 'folder') damaged.push(path);
  }
  for (const path of new Set(wanted)) {
    const kind = isBelowDamaged(path) ? undefined : (await files.stat(path))?.kind;
    if (kind === 'folder' || kind === 'other') damaged.push(path);
  }
  return damaged;
}

/** Below the daemon's folder. */
function foldersAbove(path: string): readonly string[] {
  const names = path.slice(DAEMON_FOLDER.length + 1).split('/');
  return names.slice(1).map((_, index) => `${DAEMON_FOLDER}/${names.slice(0, index + 1).join('/')}`);
}

/** Only what is missing is made again. */
async function rebuild(host: Files, config: NodeConfig): Promise<void> {
  const units = new Set((config.ignition.systemd?.units ?? []).map(({ name }) => unitPath(name)));
  for (const path of pathsOf(config)) {
    if (units.has(path)) await keepOriginalUnit(host, path);
    else await keepOriginal(host, path, { isWritten: true });
  }
}
