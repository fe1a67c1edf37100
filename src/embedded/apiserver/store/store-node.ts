/**
 * The persistent store, on LMDB: a B+ tree in one memory-mapped file with copy-on-write.
 *
 * - `kill -9` at any moment loses no acknowledged write and shows no partial one: a batch becomes visible with one small
 *   write, of LMDB's meta page, at its end.
 * - Neither does a power failure, if the disk honours flushes: data are flushed before the meta page is written, and the
 *   meta page before a commit resolves. With `fsync: false` the operating system flushes later. That still survives
 *   `kill -9`, but a power failure may damage the file. For tests and temporary stores.
 * - Values are read from the map on demand; the JavaScript heap holds none of them.
 * - A full or broken disk fails the commits of that moment (`StoreWriteFailed`); earlier data stay.
 * - One process at a time: the file `holder-<pid>-<start>` names it. The file of a dead process is removed. Process IDs
 *   are compared, so containers with separate PID namespaces must not share a directory.
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
  /** Created if missing, accessible by its owner only. */
  readonly folder: string;
  readonly limits?: LogLimits;
  /** Whether a commit waits for the disk. Default: true. */
  readonly fsync?: boolean;
};

/**
 * Opens a new or existing directory. Throws a `Failure` if a running process holds it (`StoreInUse`), another version
 * of Millwright wrote it (`StoreFormatUnknown`), it contains something else (`StoreDamaged`) or it cannot be used
 * (`StoreUnusable`).
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

/** Address space, not disk: LMDB maps it at once and never has to move. */
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
    // The directory entry must be durable too.
    if (fsync) for (const path of [folder, dirname(folder)]) flushFolder(path);
    return tables;
  } catch (error) {
    // Nothing was written.
    void root.close();
    throw error;
  }
}

/** Not with Node's `recursive`, which loops forever where directories cannot be created, such as in /proc. */
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
 * LMDB starts with two meta pages, written together with the file: a file with only one was never used and is created
 * again. LMDB crashes on other files.
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
  if (!isOurs) throw new Failure('stalled', 'StoreDamaged', 'data.mdb is not an LMDB file');
  if (length < 2 * pageSize) {
    fs.rmSync(path);
    return;
  }
  // LMDB would map a truncated file and crash on access.
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
      'data.mdb is truncated: restore it from a backup, or start with a new directory',
    );
  }
}

/**
 * Claims the directory for this process. Each process first creates its file and then looks for others: of two at the
 * same time, at least one sees the other and gives up. Names are never reused, so those of dead processes can be
 * removed.
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

/** Process IDs are reused; on Linux the start time distinguishes processes. */
function isAlive(pid: number, start: string): boolean {
  try {
    kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user exists.
    return errnoOf(error) === 'EPERM';
  }
  const life = lifeOf(pid);
  if (life === undefined) return true;
  return !life.isOver && (start === '' || start === life.start);
}

/** The start time in clock ticks since boot, and whether the process is a zombie. */
function lifeOf(pid: number): { readonly start: string; readonly isOver: boolean } | undefined {
  try {
    // The command is in parentheses and can contain anything; the fields after it are numbers.
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [state = '', start = ''] = [fields[0], fields[19]];
    return { start, isOver: state === 'Z' || state === 'X' };
  } catch {
    // Not Linux, or the process is gone: the ID has to do.
    return undefined;
  }
}
