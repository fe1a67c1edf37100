/**
 * The store that survives its process, on LMDB: a B+ tree in one file, mapped into memory, copied on write.
 *
 * - `kill -9` at any moment loses nothing that was acknowledged and shows nothing by half: a batch becomes real with
 *   one small write, of LMDB's root page, at its end.
 * - Neither does a loss of power, as far as the disk keeps its word: data are flushed before the root page is written,
 *   and the root page before a commit resolves. With `fsync: false` the operating system flushes when it likes. That
 *   still survives `kill -9`, but a loss of power may leave a file that cannot be read. For tests and throw-away stores.
 * - Values are read from the map when they are asked for; the JavaScript heap keeps none of them.
 * - A disk that is full or broken fails the commits of that moment (`StoreWriteFailed`), and what was there stays.
 * - One process at a time: the file `holder-<pid>-<start>` in the folder says which. Such a file of a dead process is
 *   swept away. Process numbers are compared, so containers that do not see each other must not share a folder.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { kill, pid as ownPid } from 'node:process';
import { open } from 'lmdb';
import { Failure } from '../../../base/errors.ts';
import { errnoOf, osErrorMessage } from '../os-error.ts';
import { LmdbTables } from './lmdb-tables.ts';
import { DEFAULT_LOG_LIMITS, type LogLimits, type Store } from './store.ts';
import { TableStore } from './table-store.ts';
import type { Tables } from './tables.ts';

type StoreOptions = {
  /** Made where it is missing, and then for its owner alone. */
  readonly folder: string;
  readonly limits?: LogLimits;
  /** Whether a commit waits for the disk. True unless said otherwise. */
  readonly fsync?: boolean;
};

/**
 * Opens a folder, new or as it was left. Throws a `Failure` when a living process holds it (`StoreInUse`), another
 * version of Millwright wrote it (`StoreFormatUnknown`), what lies there is no store (`StoreDamaged`) or the folder
 * cannot be used at all (`StoreUnusable`).
 */
export function openStore({ folder, limits = DEFAULT_LOG_LIMITS, fsync = true }: StoreOptions): Store {
  try {
    makeFolder(folder);
    const release = hold(folder);
    try {
      return new TableStore(openTables({ folder, fsync, release }), limits);
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    if (error instanceof Failure) {
      throw new Failure(error.kind, error.reason, `the store in ${folder}: ${error.message}`, error.cause);
    }
    const message = `the store in ${folder} cannot be opened: ${osErrorMessage(error)}`;
    throw new Failure('stalled', 'StoreUnusable', message, error);
  }
}

/** Address space, not disk: LMDB maps so much at once and never has to move. */
const MAX_DATA_BYTES = 64 * 1024 ** 3;

type Opening = { readonly folder: string; readonly fsync: boolean; readonly release: () => void };

function openTables({ folder, fsync, release }: Opening): Tables {
  checkDataFile(join(folder, 'data.mdb'));
  const root = open({
    path: folder,
    noSubdir: false,
    mapSize: MAX_DATA_BYTES,
    noSync: !fsync,
    // A commit is flushed before it counts: LMDB's own order, and nothing to decide after a crash.
    overlappingSync: false,
    // The queue makes the batches.
    eventTurnBatching: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  try {
    const tables = new LmdbTables(root, release);
    // The file's name must last as well as what is in it.
    if (fsync) for (const path of [folder, dirname(folder)]) flushFolder(path);
    return tables;
  } catch (error) {
    // Nothing was written that must be waited for.
    void root.close();
    throw error;
  }
}

/** Not with Node's `recursive`, which tries for ever where nobody can make folders, such as in /proc. */
function makeFolder(path: string): void {
  if (fs.existsSync(path)) return;
  makeFolder(dirname(path));
  fs.mkdirSync(path, { mode: 0o700 });
}

function flushFolder(path: string): void {
  const handle = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

const META_OFFSET = 24;
const META_MAGIC = 0xbeefc0de;
const META_VERSION = 2;
const PAGE_SIZE_OFFSET = 48;
const LAST_PAGE_OFFSET = 144;
const TRANSACTION_OFFSET = 152;
const MAX_PAGE_BYTES = 65_536;

/**
 * LMDB begins with two pages of the same make. It writes them together when it makes a file, so one that holds only the
 * first was cut off there, has never held anything and is made anew. A file of another make would crash the process.
 */
function checkDataFile(path: string): void {
  if (!fs.existsSync(path)) return;
  const head = Buffer.alloc(2 * MAX_PAGE_BYTES);
  const handle = fs.openSync(path, 'r');
  const length = fs.readSync(handle, head);
  fs.closeSync(handle);
  const isMeta = (page: number) =>
    head.readUInt32LE(page + META_OFFSET) === META_MAGIC &&
    head.readUInt16LE(page + META_OFFSET + 4) === META_VERSION;
  if (length === 0) return;
  const pageSize = head.readUInt32LE(PAGE_SIZE_OFFSET);
  const isOurs = isMeta(0) && pageSize <= MAX_PAGE_BYTES && (length < 2 * pageSize || isMeta(pageSize));
  if (!isOurs) throw new Failure('stalled', 'StoreDamaged', 'data.mdb is no LMDB file');
  if (length < 2 * pageSize) {
    fs.rmSync(path);
    return;
  }
  // What is missing at the end would be mapped all the same, and end the process when it is touched.
  const [first, second] = [0, pageSize].map((page) => ({
    lastPage: head.readBigUInt64LE(page + LAST_PAGE_OFFSET),
    transaction: head.readBigUInt64LE(page + TRANSACTION_OFFSET),
  }));
  const newer =
    first !== undefined && second !== undefined && first.transaction > second.transaction ? first : second;
  const neededBytes = ((newer?.lastPage ?? 0n) + 1n) * BigInt(pageSize);
  if (BigInt(fs.statSync(path).size) < neededBytes) {
    throw new Failure(
      'stalled',
      'StoreDamaged',
      'data.mdb was cut short: bring it back from a copy, or begin anew',
    );
  }
}

/**
 * Claims the folder for this process. Each claimant first says so and then looks for others: of two that come at the
 * same time, at least one sees the other and steps back. A name is never used again, so a dead one can be removed.
 */
function hold(folder: string): () => void {
  const ownName = `holder-${ownPid}-${lifeOf(ownPid)?.start ?? ''}`;
  const ownPath = join(folder, ownName);
  const release = () => fs.rmSync(ownPath, { force: true });
  try {
    fs.writeFileSync(ownPath, '', { flag: 'wx' });
  } catch (error) {
    if (!fs.existsSync(ownPath)) throw error;
    throw new Failure('stalled', 'StoreInUse', `it is open in this process already (${ownName})`);
  }
  for (const name of fs.readdirSync(folder)) {
    const [, pid, start] = /^holder-([1-9]\d*)-(\d*)$/.exec(name) ?? [];
    if (pid === undefined || start === undefined || name === ownName) continue;
    if (isAlive(Number(pid), start)) {
      release();
      throw new Failure('stalled', 'StoreInUse', `process ${pid} has it open (${name})`);
    }
    fs.rmSync(join(folder, name), { force: true });
  }
  return release;
}

/** A number may have been given to another process since; where the system tells, the start tells them apart. */
function isAlive(pid: number, start: string): boolean {
  try {
    kill(pid, 0);
  } catch (error) {
    // A process of another user may not be signalled, but it is there.
    return errnoOf(error) === 'EPERM';
  }
  const life = lifeOf(pid);
  if (life === undefined) return true;
  return !life.isOver && (start === '' || start === life.start);
}

/** What Linux says of a process: when it began, in ticks since boot, and whether it only waits to be forgotten. */
function lifeOf(pid: number): { readonly start: string; readonly isOver: boolean } | undefined {
  try {
    // The name of the program stands in brackets and may hold anything; the fields behind it are plain.
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [state = '', start = ''] = [fields[0], fields[19]];
    return { start, isOver: state === 'Z' || state === 'X' };
  } catch {
    // Not Linux, or gone meanwhile: the number has to do.
    return undefined;
  }
}
