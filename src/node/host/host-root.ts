/**
 * The root of a machine on a disk: resolves paths of the machine, and names them in failures.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import type { Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { MAX_FILE_NAME_BYTES } from '../../base/text/index.ts';
import { type Disk, DiskError, type DiskErrorCode } from './disk.ts';
import { inFolder, namesOf } from './disk-paths.ts';
import { doing, failureOf } from './file-failures.ts';
import { followLinks, type Place } from './follow-links.ts';

export type HostRoot = {
  readonly disk: Disk;
  /** The folder of the disk that is the root of the machine. */
  readonly root: string;
  readonly random: Pick<Random, 'next'>;
};

/** A name in an existing folder: where a file can be created, replaced or removed. */
export type Spot = {
  /** Both on the disk. */
  readonly folder: string;
  readonly path: string;
  /** Both on the machine, for messages. */
  readonly shownFolder: string;
  readonly shownPath: string;
};

/** What is at a path, without resolving its last name; `undefined` where nothing is or can be. */
export async function find({ disk, root }: HostRoot, path: string): Promise<Place | undefined> {
  return await lookUp(`lstat ${path}`, () => followLinks({ disk, root, path, isLastFollowed: false }));
}

/** The same with all links resolved. */
export async function findTarget({ disk, root }: HostRoot, path: string): Promise<Place | undefined> {
  return await lookUp(`open ${path}`, () => followLinks({ disk, root, path, isLastFollowed: true }));
}

async function lookUp(what: string, look: () => Promise<Place>): Promise<Place | undefined> {
  try {
    const place = await look();
    return place.stat === undefined ? undefined : place;
  } catch (error) {
    if (error instanceof DiskError && IMPOSSIBLE.includes(error.code)) return undefined;
    return await doing(what, () => Promise.reject(error));
  }
}

/** Nothing exists below a file, and nothing has a name that Linux does not take. */
const IMPOSSIBLE: readonly DiskErrorCode[] = ['ENOTDIR', 'ENOENT', 'ENAMETOOLONG'];

/** Splits a path into an existing folder, created if needed, and a name. */
export async function spotOf(at: HostRoot, path: string): Promise<Spot> {
  const names = await doing(`open ${path}`, async () => namesOf(path));
  const name = names.at(-1);
  if (name === undefined || name === '..') throw failureOf(`open ${path}`, 'EISDIR');
  const shownFolder = `/${names.slice(0, -1).join('/')}`;
  const folder = await makeParents(at, shownFolder);
  return { folder, path: inFolder(folder, name), shownFolder, shownPath: inFolder(shownFolder, name) };
}

/** The last existing folder on the way to a path, on the disk; undefined where something else is in the way. */
export async function nearestFolder(at: HostRoot, path: string): Promise<string | undefined> {
  const names = await doing(`open ${path}`, async () => namesOf(path));
  for (let count = names.length - 1; count >= 0; count--) {
    const place = await findTarget(at, `/${names.slice(0, count).join('/')}`);
    if (place !== undefined) return place.stat?.kind === 'folder' ? place.path : undefined;
  }
  return undefined;
}

/** The folder on the disk for this path of the machine; missing folders are created with mode 0755. */
export async function makeParents(at: HostRoot, path: string): Promise<string> {
  const { disk, root } = at;
  const there = await folderAt(at, path);
  if (there !== undefined) return there;
  let made = root;
  for (const way of waysTo(path)) {
    const found = await findOrFree(at, way);
    if (found.isFree) {
      await doing(`mkdir ${way}`, () => disk.makeFolder(found.path, 0o755));
      const folder = found.path.slice(0, found.path.lastIndexOf('/')) || '/';
      await doing(`sync ${way}`, () => disk.syncFolder(folder));
    }
    made = found.path;
  }
  return made;
}

/** Throws what `makeParents` would throw where something else than a folder is in the way. Changes nothing. */
export async function checkParents(at: HostRoot, path: string): Promise<void> {
  if ((await folderAt(at, path)) !== undefined) return;
  for (const way of waysTo(path)) {
    const { isFree } = await findOrFree(at, way);
    // So is everything below it.
    if (isFree) return;
  }
}

function waysTo(path: string): readonly string[] {
  return namesOf(path).map((_, index, names) => `/${names.slice(0, index + 1).join('/')}`);
}

async function folderAt({ disk, root }: HostRoot, path: string): Promise<string | undefined> {
  const place = await asFolder(path, () => followLinks({ disk, root, path, isLastFollowed: true }));
  if (place?.stat === undefined) return undefined;
  if (place.stat.kind !== 'folder') throw failureOf(`mkdir ${path}`, 'ENOTDIR');
  return place.path;
}

/** On the disk, the folder that is there or the place where it can be made. */
async function findOrFree(
  at: HostRoot,
  path: string,
): Promise<{ readonly path: string; readonly isFree: boolean }> {
  const { disk, root } = at;
  const there = await folderAt(at, path);
  if (there !== undefined) return { path: there, isFree: false };
  const place = await asFolder(path, () => followLinks({ disk, root, path, isLastFollowed: false }));
  // A dangling link is an error: to create its target would be a guess.
  if (place === undefined || place.stat !== undefined) throw failureOf(`mkdir ${path}`, 'EEXIST');
  return { path: place.path, isFree: true };
}

/** The message names the component that is not a folder, as in Go. */
async function asFolder(path: string, look: () => Promise<Place>): Promise<Place | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOENT') return undefined;
    const about = error instanceof DiskError && error.code === 'ENOTDIR' ? messagePath(error) : path;
    return await doing(`mkdir ${about}`, () => Promise.reject(error));
  }
}

function messagePath(error: DiskError): string {
  return error.message.slice(0, error.message.lastIndexOf(': '));
}

const TEMPORARY_DIGITS = 10;
/** There are plenty of names of ten digits; so many collisions mean another problem. */
const MAX_TRIES = 16;

/**
 * Creates something under a temporary name beside its final one: `.NAME<ten digits>`. Always ten digits, so that what a
 * power cut leaves behind can be told from other files. The first name that is tried depends on the path alone: errors name
 * it, and a retry should fail with the same text. Where it is taken, which users may do in their own folders, others are tried.
 */
export async function makeBeside(
  { random }: HostRoot,
  spot: Spot,
  { verb, make }: { readonly verb: string; readonly make: (path: string) => Promise<void> },
): Promise<Spot> {
  const stem = temporaryStem(spot.path.slice(spot.path.lastIndexOf('/') + 1));
  for (let tries = 1; ; tries++) {
    const share = tries === 1 ? shareOf(spot.shownPath) : random.next();
    const digits = String(Math.floor((0.1 + share * 0.9) * 10 ** TEMPORARY_DIGITS));
    const name = `${stem}${digits}`;
    const beside = {
      ...spot,
      path: inFolder(spot.folder, name),
      shownPath: inFolder(spot.shownFolder, name),
    };
    try {
      await make(beside.path);
      return beside;
    } catch (error) {
      const isTaken = error instanceof DiskError && error.code === 'EEXIST';
      if (!isTaken || tries === MAX_TRIES) {
        return await doing(`${verb} ${beside.shownPath}`, () => Promise.reject(error));
      }
    }
  }
}

/** At least 0 and below 1, as a random number would be. */
function shareOf(path: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(new TextEncoder().encode(path));
  return (((a * 256 + b) * 256 + c) * 256 + d) / 2 ** 32;
}

export function isTemporaryNameOf(name: string, of: string): boolean {
  const stem = temporaryStem(of);
  const digits = name.slice(stem.length);
  return name.startsWith(stem) && digits.length === TEMPORARY_DIGITS && /^[1-9][0-9]*$/.test(digits);
}

/** As much of the name as fits into the limit. */
function temporaryStem(name: string): string {
  const bytes = new TextEncoder().encode(name);
  const room = MAX_FILE_NAME_BYTES - 1 - TEMPORARY_DIGITS;
  if (bytes.length <= room) return `.${name}`;
  // A split character decodes to U+FFFD, which may be longer.
  const cut = new TextDecoder().decode(bytes.subarray(0, room));
  return `.${cut.replace(/\uFFFD+$/, '')}`;
}

export function refuseMode(path: string, mode: number, max: number): void {
  if (Number.isInteger(mode) && mode >= 0 && mode <= max) return;
  const [given, most] = [mode, max].map((one) => `0${one.toString(8)}`);
  const message = `invalid mode ${given} for ${path}, cannot exceed ${most}`;
  throw new Failure('stalled', 'InvalidMode', message);
}
