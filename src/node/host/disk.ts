/**
 * The port to a disk: file system calls, with the durability of real file systems.
 *
 * - A returned call is not durable. The content, mode and owner of a file are durable once `syncFile` of it has returned;
 *   a name (created, renamed, removed) is durable once `syncFolder` of its folder has returned. What is not synced may be lost in
 *   a power cut, or not, or, for content, in part; independently for each file and folder.
 * - A rename is atomic: at any time either the old or the new file has the name.
 *
 * Paths are absolute paths of the disk (`/etc/hosts`), clean, and none of their folders may be a link: `HostFiles` resolves
 * links. A disk therefore never leaves its root. Failures are `DiskError`s.
 */
import type { FileStat, FileSystemSpace, Owner } from './host.ts';

export interface Disk {
  /** Of the path itself, also where it is a link. `undefined` where it does not exist. */
  stat(path: string): Promise<FileStat | undefined>;
  /**
   * `stat` of a folder, then of each name below the one before it, up to the first that is no folder. Only where a disk can do
   * that faster than one by one.
   */
  statWay?(folder: string, names: readonly string[]): Promise<readonly (FileStat | undefined)[]>;
  /** The content of a file; EFBIG where it exceeds the limit. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The names in a folder, unordered. */
  list(path: string): Promise<readonly string[]>;
  makeFolder(path: string, mode: number): Promise<void>;
  /** A new empty file; EEXIST where the name exists, also as a dangling link. */
  create(path: string, mode: number): Promise<void>;
  /** Replaces the content of a file. Not atomic: a power cut may leave a part of it. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  setMode(path: string, mode: number): Promise<void>;
  setOwner(path: string, owner: Owner): Promise<void>;
  syncFile(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** Replaces an existing file or link; a folder only by a folder, and only an empty one. */
  rename(move: { readonly from: string; readonly to: string }): Promise<void>;
  makeLink(path: string, link: { readonly target: string }): Promise<void>;
  /** Removes a file or link. */
  unlink(path: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** Whether the file system of an existing folder is mounted read-only: every change fails with EROFS. */
  isReadOnly(folder: string): Promise<boolean>;
  /** The space of the file system of an existing folder. */
  space(folder: string): Promise<FileSystemSpace>;
  /**
   * Calls with the changed, created or removed name in that folder, or without one where it is unknown. Returns a function
   * that ends the watch. ENOENT where there is no such folder.
   */
  watch(folder: string, onChange: (name?: string) => void): () => void;
}

/** A disk that can tell whether two paths are the same file. */
export interface IdentifiedDisk extends Disk {
  /** Unique among existing files; the identity of a removed file may be reused. */
  identify(path: string): Promise<string | undefined>;
}

/** The calls that can be made to fail. */
export type DiskCall = Exclude<keyof Disk, 'watch' | 'statWay'>;

/** Error codes of Linux, with Go's texts. */
export const DISK_ERROR_TEXTS = {
  EACCES: 'permission denied',
  EBUSY: 'device or resource busy',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'file exists',
  EFBIG: 'file too large',
  EINVAL: 'invalid argument',
  EIO: 'input/output error',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ETXTBSY: 'text file busy',
  EXDEV: 'invalid cross-device link',
} as const;

export type DiskErrorCode = keyof typeof DISK_ERROR_TEXTS;

export class DiskError extends Error {
  readonly code: DiskErrorCode;

  constructor(code: DiskErrorCode, path: string, cause?: unknown) {
    super(`${path}: ${DISK_ERROR_TEXTS[code]}`, cause === undefined ? undefined : { cause });
    this.name = 'DiskError';
    this.code = code;
  }
}

export function isDiskErrorCode(code: unknown): code is DiskErrorCode {
  return typeof code === 'string' && Object.hasOwn(DISK_ERROR_TEXTS, code);
}
