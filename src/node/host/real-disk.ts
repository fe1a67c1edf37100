/**
 * A disk below a folder of the platform's file system.
 *
 * A process on the machine may replace a folder by a link between two calls. Therefore no path is
 * ever passed to the platform as a whole: folders are opened one by one, rejecting links, and the last name is used
 * relative to the opened folder (through /proc, as Node.js has no `*at` calls). Where there
 * is no /proc, as on a Mac, paths are checked and then used, which is sufficient for a local sandbox.
 *
 * The platform's calls are passed in, so that this file does not import them.
 */
import { DiskError, type DiskErrorCode, type IdentifiedDisk, isDiskErrorCode } from './disk.ts';
import { folderOf, nameOf, namesOf } from './disk-paths.ts';
import type { FileKind, FileStat, FileSystemSpace, Owner } from './host.ts';

/** The part of `node:fs` that is needed here. */
interface PlatformFiles {
  readonly constants: {
    readonly O_RDONLY: number;
    readonly O_WRONLY: number;
    readonly O_CREAT: number;
    readonly O_EXCL: number;
    readonly O_TRUNC: number;
    readonly O_NOFOLLOW: number;
    readonly O_DIRECTORY: number;
    readonly O_NONBLOCK: number;
    readonly W_OK: number;
  };
  openSync(path: string, flags: number, mode?: number): number;
  closeSync(fd: number): void;
  lstatSync(path: string): PlatformStat;
  fstatSync(fd: number): PlatformStat;
  readlinkSync(path: string): string;
  readdirSync(path: string): string[];
  mkdirSync(path: string, mode: number): unknown;
  chmodSync(path: string, mode: number): void;
  lchownSync(path: string, uid: number, gid: number): void;
  renameSync(from: string, to: string): void;
  symlinkSync(target: string, path: string): void;
  unlinkSync(path: string): void;
  rmdirSync(path: string): void;
  existsSync(path: string): boolean;
  accessSync(path: string, mode: number): void;
  statfsSync(path: string): { readonly bsize: number; readonly bfree: number };
  fsync(fd: number, done: (error: Error | null) => void): void;
  read(
    fd: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
    done: (error: Error | null, count: number) => void,
  ): void;
  write(
    fd: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
    done: (error: Error | null, count: number) => void,
  ): void;
  watch(path: string, listener: (event: string, name: string | null) => void): PlatformWatcher;
}

interface PlatformStat {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

interface PlatformWatcher {
  close(): void;
  unref(): void;
  on(event: 'error', listener: () => void): unknown;
}

type RealDiskOptions = { readonly platform: PlatformFiles; readonly root: string };

export function createRealDisk({ platform, root }: RealDiskOptions): IdentifiedDisk {
  return new RealDisk(platform, root);
}

/** O_PATH of Linux, which `node:fs` does not define. */
const O_PATH = 0o10000000;
const PROC = '/proc/self/fd';
const READ_BYTES = 256 * 1024;

class RealDisk implements IdentifiedDisk {
  readonly #fs: PlatformFiles;
  readonly #root: string;
  readonly #hasProc: boolean;

  constructor(platform: PlatformFiles, root: string) {
    this.#fs = platform;
    this.#root = root;
    this.#hasProc = platform.existsSync(PROC);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return await orNone(() =>
      this.#at(path, (place) => {
        const stat = this.#fs.lstatSync(place);
        const kind = kindOf(stat);
        const owner = { uid: stat.uid, gid: stat.gid };
        const common = { kind, mode: stat.mode & 0o7777, sizeBytes: stat.size, owner };
        return kind === 'link' ? { ...common, target: this.#fs.readlinkSync(place) } : common;
      }),
    );
  }

  async identify(path: string): Promise<string | undefined> {
    return await orNone(() =>
      this.#at(path, (place) => {
        const { dev, ino } = this.#fs.lstatSync(place);
        return `${dev}:${ino}`;
      }),
    );
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    const { O_RDONLY, O_NONBLOCK } = this.#fs.constants;
    return await this.#opened({ path, flags: O_RDONLY | O_NONBLOCK }, async (fd) => {
      const stat = this.#fs.fstatSync(fd);
      if (stat.isDirectory()) throw new DiskError('EISDIR', path);
      if (stat.size > maxBytes) throw new DiskError('EFBIG', path);
      return await this.#readAll(fd, { path, maxBytes, sizeBytes: stat.size });
    });
  }

  async list(path: string): Promise<readonly string[]> {
    return await this.#at(path, (place) => {
      this.#refuseOthers(place, { path, wanted: 'folder' });
      return this.#fs.readdirSync(place);
    });
  }

  async makeFolder(path: string, mode: number): Promise<void> {
    await this.#at(path, (place) => {
      this.#fs.mkdirSync(place, 0o700);
      this.#chmod(place, mode);
    });
  }

  async create(path: string, mode: number): Promise<void> {
    const { O_WRONLY, O_CREAT, O_EXCL } = this.#fs.constants;
    await this.#opened({ path, flags: O_WRONLY | O_CREAT | O_EXCL }, async () => undefined);
    await this.setMode(path, mode);
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const { O_WRONLY, O_TRUNC } = this.#fs.constants;
    await this.#opened({ path, flags: O_WRONLY | O_TRUNC }, async (fd) => {
      for (let at = 0; at < bytes.length; ) {
        at += await settled<number>((done) => this.#fs.write(fd, bytes, at, bytes.length - at, at, done));
      }
    });
  }

  async setMode(path: string, mode: number): Promise<void> {
    await this.#at(path, (place) => this.#chmod(place, mode));
  }

  async setOwner(path: string, { uid, gid }: Owner): Promise<void> {
    await this.#at(path, (place) => this.#fs.lchownSync(place, uid, gid));
  }

  async syncFile(path: string): Promise<void> {
    const { O_RDONLY, O_NONBLOCK } = this.#fs.constants;
    await this.#opened({ path, flags: O_RDONLY | O_NONBLOCK }, (fd) => this.#sync(fd));
  }

  async syncFolder(path: string): Promise<void> {
    const { O_RDONLY, O_DIRECTORY } = this.#fs.constants;
    await this.#opened({ path, flags: O_RDONLY | O_DIRECTORY }, (fd) => this.#sync(fd));
  }

  async rename({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    this.#within(from, (source) => this.#within(to, (target) => this.#fs.renameSync(source, target)));
  }

  async makeLink(path: string, { target }: { readonly target: string }): Promise<void> {
    if (target.includes('\0')) throw new DiskError('EINVAL', path);
    await this.#at(path, (place) => this.#fs.symlinkSync(target, place));
  }

  async unlink(path: string): Promise<void> {
    await this.#at(path, (place) => this.#fs.unlinkSync(place));
  }

  async removeFolder(path: string): Promise<void> {
    await this.#at(path, (place) => this.#fs.rmdirSync(place));
  }

  /** Without the permission to write, the user of this process is the reason, not the file system. */
  async isReadOnly(folder: string): Promise<boolean> {
    try {
      await this.#at(folder, (place) => this.#fs.accessSync(place, this.#fs.constants.W_OK));
      return false;
    } catch (error) {
      if (error instanceof DiskError && error.code === 'EROFS') return true;
      if (error instanceof DiskError && ['EACCES', 'EPERM'].includes(error.code)) return false;
      throw error;
    }
  }

  async space(folder: string): Promise<FileSystemSpace> {
    return await this.#at(folder, (place) => {
      const { bsize, bfree } = this.#fs.statfsSync(place);
      return { fileSystem: String(this.#fs.lstatSync(place).dev), freeBytes: bsize * bfree };
    });
  }

  watch(folder: string, onChange: (name?: string) => void): () => void {
    const watcher = this.#within(folder, (place) =>
      this.#fs.watch(place, (_, name) => onChange(name ?? undefined)),
    );
    watcher.on('error', () => onChange());
    watcher.unref();
    return () => watcher.close();
  }

  /** Calls with a path to the last name, relative to its opened folder. */
  async #at<T>(path: string, call: (place: string) => T): Promise<T> {
    return this.#within(path, call);
  }

  #within<T>(path: string, call: (place: string) => T): T {
    try {
      const folder = this.#openFolder(folderOf(path));
      try {
        return call(path === '/' ? this.#place(folder, '.') : this.#place(folder, nameOf(path)));
      } finally {
        this.#close(folder);
      }
    } catch (error) {
      throw asDiskError(path, error);
    }
  }

  #place(folder: OpenFolder, name: string): string {
    return folder.fd === undefined ? `${folder.path}/${name}` : `${PROC}/${folder.fd}/${name}`;
  }

  #openFolder(path: string): OpenFolder {
    const { O_DIRECTORY, O_NOFOLLOW } = this.#fs.constants;
    if (!this.#hasProc) return this.#checkFolder(path);
    let fd = this.#fs.openSync(this.#root, O_PATH | O_DIRECTORY);
    for (const name of namesOf(path)) {
      const above = fd;
      try {
        fd = this.#fs.openSync(`${PROC}/${above}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      } finally {
        this.#fs.closeSync(above);
      }
    }
    return { fd, path };
  }

  #checkFolder(path: string): OpenFolder {
    let place = this.#root;
    for (const name of namesOf(path)) {
      place = `${place}/${name}`;
      if (!this.#fs.lstatSync(place).isDirectory()) throw new DiskError('ENOTDIR', path);
    }
    return { fd: undefined, path: place };
  }

  #close({ fd }: OpenFolder): void {
    if (fd !== undefined) this.#fs.closeSync(fd);
  }

  async #opened<T>(
    { path, flags }: { readonly path: string; readonly flags: number },
    use: (fd: number) => Promise<T>,
  ): Promise<T> {
    const { O_NOFOLLOW } = this.#fs.constants;
    const fd = this.#within(path, (place) => this.#fs.openSync(place, flags | O_NOFOLLOW, 0o600));
    let isClosed = false;
    try {
      const value = await use(fd);
      isClosed = true;
      this.#fs.closeSync(fd);
      return value;
    } catch (error) {
      if (!isClosed) this.#fs.closeSync(fd);
      throw asDiskError(path, error);
    }
  }

  /** Never of the target of a link. */
  #chmod(place: string, mode: number): void {
    const { O_NOFOLLOW } = this.#fs.constants;
    if (!this.#hasProc) {
      this.#refuseOthers(place, { path: place, wanted: 'any' });
      this.#fs.chmodSync(place, mode);
      return;
    }
    const fd = this.#fs.openSync(place, O_PATH | O_NOFOLLOW);
    try {
      if (this.#fs.fstatSync(fd).isSymbolicLink()) throw new DiskError('ELOOP', place);
      this.#fs.chmodSync(`${PROC}/${fd}`, mode);
    } finally {
      this.#fs.closeSync(fd);
    }
  }

  #refuseOthers(place: string, { path, wanted }: { path: string; wanted: 'folder' | 'any' }): void {
    const stat = this.#fs.lstatSync(place);
    if (wanted === 'folder' && !stat.isDirectory()) throw new DiskError('ENOTDIR', path);
    if (stat.isSymbolicLink()) throw new DiskError('ELOOP', path);
  }

  async #sync(fd: number): Promise<void> {
    await settled<void>((done) => this.#fs.fsync(fd, (error) => done(error, undefined)));
  }

  /** Files of the kernel report size 0: they are read to their end. */
  async #readAll(
    fd: number,
    { path, maxBytes, sizeBytes }: { path: string; maxBytes: number; sizeBytes: number },
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let total = 0;
    for (;;) {
      const part = new Uint8Array(Math.max(1, Math.min(READ_BYTES, sizeBytes + 1 - total || READ_BYTES)));
      const count = await settled<number>((done) => this.#fs.read(fd, part, 0, part.length, null, done));
      if (count === 0) break;
      total += count;
      if (total > maxBytes) throw new DiskError('EFBIG', path);
      parts.push(part.subarray(0, count));
    }
    return joined(parts, total);
  }
}

type OpenFolder = { readonly fd: number | undefined; readonly path: string };

function joined(parts: readonly Uint8Array[], total: number): Uint8Array {
  const all = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function kindOf(stat: PlatformStat): FileKind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'folder';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

function settled<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error === null || error === undefined ? resolve(value) : reject(error)));
  });
}

async function orNone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Other codes of Linux become EIO, with the original error as the cause. */
function asDiskError(path: string, error: unknown): unknown {
  if (error instanceof DiskError || !(error instanceof Error)) return error;
  const code: unknown = 'code' in error ? error.code : undefined;
  if (code === undefined) return error;
  const known: DiskErrorCode = isDiskErrorCode(code) ? code : 'EIO';
  return new DiskError(known, path, error);
}
