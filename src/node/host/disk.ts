/**
 * The port to a disk: what a file system can do, call by call, with the durability that real ones have.
 *
 * - Nothing lasts because its call returned. The content, mode and owner of a file last once `syncFile` of it returned;
 *   a name (made, renamed, taken away) lasts once `syncFolder` of its folder returned. What is not synced may be lost in
 *   a power cut, or be there, or, of content, be there in part; each file and each folder for itself.
 * - A rename is all or nothing: at no time there is neither the old nor the new file under its name.
 *
 * Paths are absolute paths of the disk (`/etc/hosts`), clean, and none of the folders on the way may be a link: following
 * links is the business of `HostFiles`. A disk therefore never leaves its root. What goes wrong is a `DiskError`.
 */
import type { FileStat, Owner } from './host.ts';

export interface Disk {
  /** Of the path itself, also where it is a link. `undefined` where there is nothing of that name. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The content of a file; EFBIG where it is longer than that. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The names in a folder, in no order. */
  list(path: string): Promise<readonly string[]>;
  makeFolder(path: string, mode: number): Promise<void>;
  /** A new empty file; EEXIST where there is anything of that name, a dangling link too. */
  create(path: string, mode: number): Promise<void>;
  /** Replaces the content of a file, byte by byte: a power cut may leave some of it. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  setMode(path: string, mode: number): Promise<void>;
  setOwner(path: string, owner: Owner): Promise<void>;
  syncFile(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** Replaces a file or link that is there; a folder only by a folder, and only an empty one. */
  rename(move: { readonly from: string; readonly to: string }): Promise<void>;
  makeLink(path: string, link: { readonly target: string }): Promise<void>;
  /** Takes away a file or link. */
  unlink(path: string): Promise<void>;
  /** Takes away an empty folder. */
  removeFolder(path: string): Promise<void>;
  /**
   * Calls with the name in that folder that changed, appeared or went, or without one where it cannot tell. Gives the way
   * to end it. ENOENT where there is no such folder.
   */
  watch(folder: string, onChange: (name?: string) => void): () => void;
}

/** A disk that can say whether two paths, now and then, are one file. */
export interface IdentifiedDisk extends Disk {
  /** Unlike that of any other file that there is now; of a file that is gone it may come back. */
  identify(path: string): Promise<string | undefined>;
}

/** What may be made to fail. */
export type DiskCall = Exclude<keyof Disk, 'watch'>;

/** What a disk says no with, as Linux names it, and the words that Go has for it. */
export const DISK_ERROR_WORDS = {
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

export type DiskErrorCode = keyof typeof DISK_ERROR_WORDS;

export class DiskError extends Error {
  readonly code: DiskErrorCode;

  constructor(code: DiskErrorCode, path: string, cause?: unknown) {
    super(`${path}: ${DISK_ERROR_WORDS[code]}`, cause === undefined ? undefined : { cause });
    this.name = 'DiskError';
    this.code = code;
  }
}

export function isDiskErrorCode(code: unknown): code is DiskErrorCode {
  return typeof code === 'string' && Object.hasOwn(DISK_ERROR_WORDS, code);
}
