/**
 * A disk in memory with power cuts and fault injection, for simulation and tests.
 *
 * It counts writes and syncs, so that a test can cut the power at each of them; reads make no difference.
 */
import { Failure } from '../../base/errors.ts';
import type { FileStat, FileSystemSpace, Owner } from '../../node/host/index.ts';
import {
  checkPath,
  type DiskCall,
  DiskError,
  type DiskErrorCode,
  folderOf,
  type IdentifiedDisk,
  inFolder,
  isWithin,
  nameOf,
  namesOf,
} from '../../node/host/index.ts';
import { type Inode, InodeLog, newInode, type Remains } from './memory-inodes.ts';

type MemoryDiskLimits = { readonly maxBytes: number; readonly maxFiles: number };

const DEFAULT_MEMORY_DISK_LIMITS: MemoryDiskLimits = { maxBytes: 256 * 1024 ** 2, maxFiles: 100_000 };

export type PlannedCut = {
  /** Counts writes and syncs from now on; the next one is 1. */
  readonly call: number;
  /** Within: the call may have happened, for content even partially. */
  readonly when: 'before' | 'within';
  readonly remains?: Remains;
};

type DiskFault = {
  /** The path and everything below it. */
  readonly path: string;
  readonly code: DiskErrorCode;
  /** Default: all writes. */
  readonly calls?: readonly DiskCall[];
  /** Default: always. */
  readonly times?: number;
};

export interface MemoryDisk extends IdentifiedDisk {
  /** The number of writes and syncs. */
  readonly callCount: number;
  readonly isOn: boolean;
  /** Immediately. All calls fail until the power is restored. */
  cutPower(remains?: Remains): void;
  /** Schedules a power cut at a call; undefined cancels it. */
  planCut(cut: PlannedCut | undefined): void;
  restorePower(): void;
  /** Returns a function that removes the fault. */
  addFault(fault: DiskFault): () => void;
}

export function createMemoryDisk(limits: MemoryDiskLimits = DEFAULT_MEMORY_DISK_LIMITS): MemoryDisk {
  return new InodeDisk(limits);
}

const READING: readonly DiskCall[] = ['stat', 'read', 'list', 'isReadOnly', 'space'];

class InodeDisk implements MemoryDisk {
  readonly #limits: MemoryDiskLimits;
  readonly #root = newInode('folder', { mode: 0o755 });
  readonly #log = new InodeLog();
  readonly #watchers = new Map<string, Set<(name?: string) => void>>();
  readonly #ids = new WeakMap<Inode, string>();
  readonly #faults = new Set<{ readonly fault: DiskFault; left: number }>();
  #cut: PlannedCut | undefined;
  #usedBytes = 0;
  #usedFiles = 0;
  callCount = 0;
  isOn: boolean = true;

  constructor(limits: MemoryDiskLimits) {
    this.#limits = limits;
  }

  cutPower(remains: Remains = 'nothing'): void {
    if (!this.isOn) return;
    this.isOn = false;
    this.#cut = undefined;
    this.#watchers.clear();
    this.#log.cut(this.#root, remains);
    this.#usedBytes = 0;
    this.#usedFiles = 0;
    this.#count(this.#root);
  }

  planCut(cut: PlannedCut | undefined): void {
    this.#cut = cut === undefined ? undefined : { ...cut, call: cut.call + this.callCount };
  }

  restorePower(): void {
    this.isOn = true;
  }

  addFault(fault: DiskFault): () => void {
    const one = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#faults.add(one);
    return () => {
      this.#faults.delete(one);
    };
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.#look('stat', path, () => {
      const inode = this.#find(path);
      return inode && statOf(inode);
    });
  }

  async statWay(folder: string, names: readonly string[]): Promise<readonly (FileStat | undefined)[]> {
    let path = folder;
    let inode = this.#look('stat', path, () => this.#find(path));
    const stats = [inode && statOf(inode)];
    for (const name of names) {
      if (inode?.kind !== 'folder') break;
      path = inFolder(path, name);
      const { entries } = inode.now;
      inode = this.#look('stat', path, () => {
        checkPath(path);
        return entries.get(name);
      });
      stats.push(inode && statOf(inode));
    }
    return stats;
  }

  async identify(path: string): Promise<string | undefined> {
    return this.#look('stat', path, () => {
      const inode = this.#find(path);
      if (inode === undefined) return undefined;
      const id = this.#ids.get(inode) ?? `${this.callCount}:${path}`;
      this.#ids.set(inode, id);
      return id;
    });
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    return this.#look('read', path, () => {
      const { bytes } = this.#file(path).now;
      if (bytes.length > maxBytes) throw new DiskError('EFBIG', path);
      return bytes.slice();
    });
  }

  async list(path: string): Promise<readonly string[]> {
    return this.#look('list', path, () => [...this.#folder(path).now.entries.keys()]);
  }

  async makeFolder(path: string, mode: number): Promise<void> {
    this.#change('makeFolder', path, () => this.#add(path, newInode('folder', { mode })));
  }

  async create(path: string, mode: number): Promise<void> {
    this.#change('create', path, () => this.#add(path, newInode('file', { mode })));
  }

  async makeLink(path: string, { target }: { readonly target: string }): Promise<void> {
    this.#change('makeLink', path, () => {
      if (target === '') throw new DiskError('ENOENT', path);
      this.#add(path, newInode('link', { mode: 0o777, target }));
    });
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    this.#change('write', path, (isTorn) => {
      const inode = this.#file(path);
      const growth = bytes.length - inode.now.bytes.length;
      if (this.#usedBytes + growth > this.#limits.maxBytes) throw new DiskError('ENOSPC', path);
      this.#usedBytes += growth;
      this.#log.changeAttributes(inode, {
        bytes: isTorn ? bytes.slice(0, Math.floor(bytes.length / 2)) : bytes.slice(),
      });
    });
  }

  async setMode(path: string, mode: number): Promise<void> {
    this.#change('setMode', path, () => this.#log.changeAttributes(this.#needed(path), { mode }));
  }

  async setOwner(path: string, owner: Owner): Promise<void> {
    this.#change('setOwner', path, () =>
      this.#log.changeAttributes(this.#needed(path), { owner: { uid: owner.uid, gid: owner.gid } }),
    );
  }

  async syncFile(path: string): Promise<void> {
    this.#change('syncFile', path, (isTorn) => {
      const inode = this.#needed(path);
      // A sync interrupted by a power cut guarantees nothing.
      if (!isTorn) this.#log.sync(inode);
    });
  }

  async syncFolder(path: string): Promise<void> {
    this.#change('syncFolder', path, (isTorn) => {
      const inode = this.#folder(path);
      if (!isTorn) this.#log.sync(inode);
    });
  }

  async rename({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    this.#change('rename', to, () => {
      const inode = this.#needed(from);
      const target = this.#find(to);
      if (inode === this.#root || target === this.#root) throw new DiskError('EBUSY', to);
      if (target === inode) return;
      if (isWithin(from, to)) throw new DiskError('EINVAL', to);
      if (target !== undefined) refuseReplacing({ inode, target, to });
      const [source, destination] = [this.#folder(folderOf(from)), this.#folder(folderOf(to))];
      this.#log.changeEntries([
        { folder: source, name: nameOf(from), inode: undefined },
        { folder: destination, name: nameOf(to), inode },
      ]);
      if (target !== undefined) this.#release(target);
      this.#notify(from);
    });
  }

  async unlink(path: string): Promise<void> {
    this.#change('unlink', path, () => {
      const inode = this.#needed(path);
      if (inode.kind === 'folder') throw new DiskError('EISDIR', path);
      this.#drop(path, inode);
    });
  }

  async removeFolder(path: string): Promise<void> {
    this.#change('removeFolder', path, () => {
      const inode = this.#folder(path);
      if (inode === this.#root) throw new DiskError('EBUSY', path);
      if (inode.now.entries.size > 0) throw new DiskError('ENOTEMPTY', path);
      this.#drop(path, inode);
    });
  }

  /** Where an injected fault says so. */
  async isReadOnly(folder: string): Promise<boolean> {
    return this.#look('isReadOnly', folder, () => {
      this.#folder(folder);
      return [...this.#faults].some(
        ({ fault: { path, code, calls } }) =>
          code === 'EROFS' && calls === undefined && isWithin(path, folder),
      );
    });
  }

  async space(folder: string): Promise<FileSystemSpace> {
    return this.#look('space', folder, () => {
      this.#folder(folder);
      return { fileSystem: 'memory', freeBytes: this.#limits.maxBytes - this.#usedBytes };
    });
  }

  watch(folder: string, onChange: (name?: string) => void): () => void {
    this.#folder(folder);
    const calls = this.#watchers.get(folder) ?? new Set();
    this.#watchers.set(folder, calls);
    // Wrapped, so that the same function can be registered twice.
    const call = (name?: string) => onChange(name);
    calls.add(call);
    return () => {
      calls.delete(call);
      if (calls.size === 0) this.#watchers.delete(folder);
    };
  }

  #look<T>(call: DiskCall, path: string, look: () => T): T {
    if (!this.isOn) throw powerIsOff();
    this.#fail(call, path);
    return look();
  }

  #change(call: DiskCall, path: string, change: (isTorn: boolean) => void): void {
    if (!this.isOn) throw powerIsOff();
    this.callCount += 1;
    const cut = this.#cut?.call === this.callCount ? this.#cut : undefined;
    if (cut?.when !== 'before') {
      this.#fail(call, path);
      change(cut !== undefined);
    }
    if (cut !== undefined) {
      this.cutPower(cut.remains);
      throw powerIsOff();
    }
    if (call !== 'syncFile' && call !== 'syncFolder') this.#notify(path);
  }

  #fail(call: DiskCall, path: string): void {
    for (const one of this.#faults) {
      const { fault } = one;
      const isMeant = fault.calls === undefined ? !READING.includes(call) : fault.calls.includes(call);
      if (!isMeant || !isWithin(fault.path, path)) continue;
      one.left -= 1;
      if (one.left <= 0) this.#faults.delete(one);
      throw new DiskError(fault.code, path);
    }
  }

  #find(path: string): Inode | undefined {
    let inode: Inode | undefined = this.#root;
    for (const name of namesOf(path)) {
      if (inode === undefined) return undefined;
      if (inode.kind !== 'folder') throw new DiskError('ENOTDIR', path);
      inode = inode.now.entries.get(name);
    }
    return inode;
  }

  #needed(path: string): Inode {
    const inode = this.#find(path);
    if (inode === undefined) throw new DiskError('ENOENT', path);
    return inode;
  }

  #file(path: string): Inode {
    const inode = this.#needed(path);
    if (inode.kind === 'folder') throw new DiskError('EISDIR', path);
    if (inode.kind === 'link') throw new DiskError('ELOOP', path);
    return inode;
  }

  #folder(path: string): Inode {
    const inode = this.#needed(path);
    if (inode.kind !== 'folder') throw new DiskError('ENOTDIR', path);
    return inode;
  }

  #add(path: string, inode: Inode): void {
    const folder = this.#folder(folderOf(path));
    namesOf(path);
    if (inode.target.includes('\0')) throw new DiskError('EINVAL', path);
    if (path === '/' || folder.now.entries.has(nameOf(path))) throw new DiskError('EEXIST', path);
    if (this.#usedFiles >= this.#limits.maxFiles) throw new DiskError('ENOSPC', path);
    this.#usedFiles += 1;
    this.#log.changeEntries([{ folder, name: nameOf(path), inode }]);
  }

  #drop(path: string, inode: Inode): void {
    this.#log.changeEntries([{ folder: this.#folder(folderOf(path)), name: nameOf(path), inode: undefined }]);
    this.#release(inode);
  }

  #release(inode: Inode): void {
    this.#usedFiles -= 1;
    this.#usedBytes -= inode.now.bytes.length;
  }

  #count(inode: Inode): void {
    for (const child of inode.now.entries.values()) {
      this.#usedFiles += 1;
      this.#usedBytes += child.now.bytes.length;
      this.#count(child);
    }
  }

  #notify(path: string): void {
    for (const call of this.#watchers.get(folderOf(path)) ?? []) call(nameOf(path));
  }
}

function statOf({ kind, target, now: { mode, owner, bytes } }: Inode): FileStat {
  if (kind === 'link') return { kind, mode, owner, sizeBytes: target.length, target };
  return { kind, mode, owner, sizeBytes: bytes.length };
}

function refuseReplacing({ inode, target, to }: { inode: Inode; target: Inode; to: string }): void {
  if (inode.kind !== 'folder') {
    if (target.kind === 'folder') throw new DiskError('EISDIR', to);
    return;
  }
  if (target.kind !== 'folder') throw new DiskError('ENOTDIR', to);
  if (target.now.entries.size > 0) throw new DiskError('ENOTEMPTY', to);
}

/** Cancelled: the caller ends without reporting an error. */
function powerIsOff(): Failure {
  return new Failure('cancelled', 'PowerIsOff', 'the machine has no power');
}
