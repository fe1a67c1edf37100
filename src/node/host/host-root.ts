/**
 * The root of a machine on a disk: finds what paths of the machine mean, and tells failures with those paths.
 */
import type { Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { type Disk, DiskError } from './disk.ts';
import { inFolder, MAX_NAME_BYTES, namesOf } from './disk-paths.ts';
import { doing, failureOf } from './file-failures.ts';
import { followLinks, type Place } from './follow-links.ts';

export type HostRoot = {
  readonly disk: Disk;
  /** The folder of the disk that is `/` of the machine. */
  readonly root: string;
  readonly random: Pick<Random, 'next'>;
};

/** One name in a folder that is there: where a file can be made, replaced or taken away. */
export type Spot = {
  /** Both on the disk. */
  readonly folder: string;
  readonly path: string;
  /** Both as the machine knows them, for messages. */
  readonly shownFolder: string;
  readonly shownPath: string;
};

/** What is at a path, the last name not followed; `undefined` where nothing is or can be. */
export async function find({ disk, root }: HostRoot, path: string): Promise<Place | undefined> {
  return await lookUp(`lstat ${path}`, () => followLinks({ disk, root, path, isLastFollowed: false }));
}

/** The same with links followed to their end. */
export async function findTarget({ disk, root }: HostRoot, path: string): Promise<Place | undefined> {
  return await lookUp(`open ${path}`, () => followLinks({ disk, root, path, isLastFollowed: true }));
}

async function lookUp(what: string, look: () => Promise<Place>): Promise<Place | undefined> {
  try {
    const place = await look();
    return place.stat === undefined ? undefined : place;
  } catch (error) {
    // Below a file there is nothing, which is all that is asked here.
    if (error instanceof DiskError && (error.code === 'ENOTDIR' || error.code === 'ENOENT')) return undefined;
    return await doing(what, () => Promise.reject(error));
  }
}

/** Splits a path into a folder that is there, made if need be, and a name. */
export async function spotOf(at: HostRoot, path: string): Promise<Spot> {
  const names = await doing(`open ${path}`, async () => namesOf(path));
  const name = names.at(-1);
  if (name === undefined || name === '..') throw failureOf(`open ${path}`, 'EISDIR');
  const shownFolder = `/${names.slice(0, -1).join('/')}`;
  const folder = await makeParents(at, shownFolder);
  return { folder, path: inFolder(folder, name), shownFolder, shownPath: inFolder(shownFolder, name) };
}

/** The folder on the disk that this path of the machine leads to; what is missing is made, 0755. */
export async function makeParents(at: HostRoot, path: string): Promise<string> {
  const { disk, root } = at;
  const place = await asFolder(path, () => followLinks({ disk, root, path, isLastFollowed: true }));
  if (place?.stat?.kind === 'folder') return place.path;
  if (place?.stat !== undefined) throw failureOf(`mkdir ${path}`, 'ENOTDIR');
  let made = root;
  const names = namesOf(path);
  for (let count = 1; count <= names.length; count++) {
    made = await makeOne(at, `/${names.slice(0, count).join('/')}`);
  }
  return made;
}

async function makeOne(at: HostRoot, path: string): Promise<string> {
  const { disk, root } = at;
  const seen = await asFolder(path, () => followLinks({ disk, root, path, isLastFollowed: true }));
  if (seen?.stat !== undefined) {
    if (seen.stat.kind !== 'folder') throw failureOf(`mkdir ${path}`, 'ENOTDIR');
    return seen.path;
  }
  const place = await asFolder(path, () => followLinks({ disk, root, path, isLastFollowed: false }));
  // A link that leads nowhere is in the way: making what it points to would be a guess.
  if (place === undefined || place.stat !== undefined) throw failureOf(`mkdir ${path}`, 'EEXIST');
  await doing(`mkdir ${path}`, () => disk.makeFolder(place.path, 0o755));
  await doing(`sync ${path}`, () => disk.syncFolder(place.path.slice(0, place.path.lastIndexOf('/')) || '/'));
  return place.path;
}

/** A name on the way that is no folder is what the message is about, as in Go. */
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

const RANDOM_DIGITS = 10;
/** Names of ten digits are plenty; so many that are all taken mean that something else is wrong. */
const MAX_TRIES = 16;

/**
 * Makes something under a name beside the one it is meant for: `.NAME<ten digits>`. Ten digits, always, so that what a
 * power cut left there can be told from what others put there.
 */
export async function makeBeside(
  { random }: HostRoot,
  spot: Spot,
  { verb, make }: { readonly verb: string; readonly make: (path: string) => Promise<void> },
): Promise<Spot> {
  const stem = temporaryStem(spot.path.slice(spot.path.lastIndexOf('/') + 1));
  for (let tries = 1; ; tries++) {
    const digits = String(Math.floor((0.1 + random.next() * 0.9) * 10 ** RANDOM_DIGITS));
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

export function isTemporaryNameOf(name: string, of: string): boolean {
  const stem = temporaryStem(of);
  const digits = name.slice(stem.length);
  return name.startsWith(stem) && digits.length === RANDOM_DIGITS && /^[1-9][0-9]*$/.test(digits);
}

/** So much of the name that the whole is still a name. */
function temporaryStem(name: string): string {
  const bytes = new TextEncoder().encode(name);
  const room = MAX_NAME_BYTES - 1 - RANDOM_DIGITS;
  if (bytes.length <= room) return `.${name}`;
  // A character that is cut in two decodes to U+FFFD, which may be longer than what it stands for.
  const cut = new TextDecoder().decode(bytes.subarray(0, room));
  return `.${cut.replace(/\uFFFD+$/, '')}`;
}

export function refuseMode(path: string, mode: number, max: number): void {
  if (Number.isInteger(mode) && mode >= 0 && mode <= max) return;
  const [given, most] = [mode, max].map((one) => `0${one.toString(8)}`);
  const message = `invalid mode ${given} for ${path}, cannot exceed ${most}`;
  throw new Failure('stalled', 'InvalidMode', message);
}
