/**
 * What the OS had where a config puts something: kept beside, and brought back when the config takes its hands off.
 *
 *     of the OS ──────> a copy of it is kept, once            orig/<path>.mcdorig
 *     of nobody ──────> a stamp says that there was nothing   noorig/<path>.mcdnoorig
 */
import type { FileStat, FileToWrite, Host } from '../host/index.ts';
import { isEnd } from './outcome.ts';
import { inTheWayPath, noOriginalPath, originalPath } from './state-paths.ts';

type Files = Pick<Host, 'files'>;

const STAMP = { bytes: new Uint8Array(), mode: 0o644 };

/** Before anything is written to the path. Done again it does nothing. */
export async function keepOriginal({ files }: Files, path: string): Promise<void> {
  const original = originalPath(path);
  const stamp = noOriginalPath(path);
  if (await files.isOfOs(path)) {
    if ((await files.stat(original)) !== undefined) return;
    const source = (await files.stat(path)) === undefined ? `/usr${path}` : path;
    if ((await files.stat(source))?.kind !== 'folder') await files.copy(source, original);
    return;
  }
  if ((await files.stat(stamp)) !== undefined) return;
  await files.remove(original);
  await files.write(stamp, STAMP);
}

/** Of units the OS has its own below /usr; what is there counts, not what somebody made of it. */
export async function keepOriginalUnit({ files }: Files, path: string): Promise<void> {
  const original = originalPath(path);
  if ((await files.stat(`/usr${path}`)) === undefined || (await files.stat(original)) !== undefined) return;
  await files.copy(`/usr${path}`, original);
}

type TakingBack = {
  readonly isUnit?: boolean;
  /** Of an update that did not succeed: it kept what was in its way, and may not have come to this path at all. */
  readonly isUndo?: boolean;
};

/**
 * Takes away what a config had put at the path, or brings back what was there. `kept`: something of others stands there
 * again, and its copy stays until the update has ended: done again without it, this would take away what is not ours.
 * What already is as it should be is not touched: it may lie where nobody can write. A folder is left alone: no config
 * makes one.
 */
export async function takeBack(
  { files }: Files,
  path: string,
  { isUnit = false, isUndo = false }: TakingBack = {},
): Promise<'removed' | 'kept' | 'nothing'> {
  const original = originalPath(path);
  const stamp = noOriginalPath(path);
  if (isUndo && (await bringBack({ files }, inTheWayPath(path), path))) {
    await files.remove(stamp);
    return 'kept';
  }
  const isStamped = (await files.stat(stamp)) !== undefined;
  const hasOriginal = !isStamped && (await files.stat(original)) !== undefined;
  if (hasOriginal && (isUnit || (await files.isOfOs(path)))) {
    await bringBack({ files }, original, path);
    return 'kept';
  }
  // Whoever writes leaves one of the two first; only of units nothing is kept where the OS has none.
  if (isUndo && !isUnit && !isStamped && !hasOriginal) return 'nothing';
  const isThere = isFileOrLink(await files.stat(path));
  if (isThere) await files.remove(path);
  // Last: without them nobody could tell whether the path had been written to.
  await files.remove(isStamped ? stamp : original);
  return isThere ? 'removed' : 'nothing';
}

/** At the end of an update: what was brought back is no longer kept. */
export async function forgetOriginals({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) await files.remove(originalPath(path));
}

/**
 * A file that the new config writes over may be gone for good once the update has succeeded. Until then it is kept, so
 * that an update that fails leaves the machine as it was.
 */
export async function keepWhatIsInTheWay({ files }: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (isFileOrLink(await files.stat(path))) await files.copy(path, inTheWayPath(path));
  }
}

export async function bringBackWhatWasInTheWay(host: Files, paths: readonly string[]): Promise<void> {
  for (const path of paths) await bringBack(host, inTheWayPath(path), path);
}

/** Where a step has begun already: what it has written itself by then is not taken for what was in its way. */
export async function keepOnceWhatIsInTheWay({ files }: Files, path: string): Promise<void> {
  if ((await files.stat(inTheWayPath(path))) !== undefined) return;
  if ((await files.stat(nothingInTheWayPath(path))) !== undefined) return;
  if (isFileOrLink(await files.stat(path))) await files.copy(path, inTheWayPath(path));
  else await stampNothingInTheWay({ files }, path);
}

export async function stampNothingInTheWay({ files }: Files, path: string): Promise<void> {
  await files.write(nothingInTheWayPath(path), STAMP);
}

/** The undo of a step that began with `keepOnceWhatIsInTheWay`; one that did not come that far has written nothing. */
export async function bringBackOrRemove({ files }: Files, path: string): Promise<void> {
  if (await bringBack({ files }, inTheWayPath(path), path)) return;
  if ((await files.stat(nothingInTheWayPath(path))) === undefined) return;
  if (isFileOrLink(await files.stat(path))) await files.remove(path);
}

/** Writes the file. Where that cannot be done, but it was there already just so, nothing is wrong. */
export async function writeOrFind({ files }: Files, path: string, file: FileToWrite): Promise<void> {
  const wasThere = await isAsWanted({ files }, path, file);
  try {
    await files.write(path, file);
  } catch (error) {
    if (!wasThere || isEnd(error)) throw error;
  }
}

/** Whether there is a copy. It replaces what is at the path at once: at no time there is nothing. */
async function bringBack({ files }: Files, copy: string, path: string): Promise<boolean> {
  const kept = await files.stat(copy);
  if (kept === undefined) return false;
  const there = await files.stat(path);
  if (kept.kind === 'link' && there?.kind === 'link' && kept.target === there.target) return true;
  const bytes =
    kept.kind === 'file' && there?.kind === 'file' ? await readIfPossible(files, copy) : undefined;
  const isSame = bytes !== undefined && (await isAsWanted({ files }, path, { ...kept, bytes }));
  if (!isSame) await files.copy(copy, path);
  return true;
}

async function isAsWanted({ files }: Files, path: string, { bytes, mode, owner }: FileToWrite) {
  const there = await files.stat(path);
  if (there?.kind !== 'file' || there.mode !== mode || there.sizeBytes !== bytes.length) return false;
  if (owner !== undefined && (there.owner.uid !== owner.uid || there.owner.gid !== owner.gid)) return false;
  const found = await readIfPossible(files, path);
  return found?.every((byte, index) => byte === bytes[index]) === true;
}

/** What is too large or cannot be read is not compared, but written anew. */
async function readIfPossible(files: Files['files'], path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (isEnd(error)) throw error;
    return undefined;
  }
}

function isFileOrLink(stat: FileStat | undefined): boolean {
  return stat?.kind === 'file' || stat?.kind === 'link';
}

function nothingInTheWayPath(path: string): string {
  return inTheWayPath(`${path}.nothing`);
}
