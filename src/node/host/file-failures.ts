/**
 * File errors with Go's texts, which runbooks and searches rely on.
 */
import { Failure, type FailureKind } from '../../base/errors.ts';
import { DISK_ERROR_TEXTS, DiskError, type DiskErrorCode } from './disk.ts';

/** `open /etc/x: permission denied`. Other errors, such as bugs, are passed on unchanged. */
function fileFailure(what: string, error: unknown): unknown {
  if (!(error instanceof DiskError)) return error;
  return failureOf(what, error.code, error);
}

export function failureOf(what: string, code: DiskErrorCode, cause?: unknown): Failure {
  const { kind, reason } = MEANINGS[code];
  return new Failure(kind, reason, `${what}: ${DISK_ERROR_TEXTS[code]}`, cause);
}

/** Runs one call of a disk; a failure names the operation and the path. */
export async function doing<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw fileFailure(what, error);
  }
}

const MEANINGS: Readonly<Record<DiskErrorCode, { readonly kind: FailureKind; readonly reason: string }>> = {
  EACCES: { kind: 'stalled', reason: 'PermissionDenied' },
  EBUSY: { kind: 'transient', reason: 'Busy' },
  EDQUOT: { kind: 'transient', reason: 'NoSpace' },
  EEXIST: { kind: 'stalled', reason: 'FileExists' },
  EFBIG: { kind: 'stalled', reason: 'FileTooLarge' },
  EINVAL: { kind: 'stalled', reason: 'InvalidPath' },
  EIO: { kind: 'transient', reason: 'InputOutput' },
  EISDIR: { kind: 'stalled', reason: 'IsFolder' },
  ELOOP: { kind: 'stalled', reason: 'TooManyLinks' },
  EMFILE: { kind: 'transient', reason: 'Busy' },
  ENAMETOOLONG: { kind: 'stalled', reason: 'InvalidPath' },
  ENOENT: { kind: 'stalled', reason: 'NotFound' },
  ENOSPC: { kind: 'transient', reason: 'NoSpace' },
  ENOTDIR: { kind: 'stalled', reason: 'NotFolder' },
  ENOTEMPTY: { kind: 'stalled', reason: 'FolderNotEmpty' },
  EPERM: { kind: 'stalled', reason: 'PermissionDenied' },
  EROFS: { kind: 'stalled', reason: 'ReadOnly' },
  ETXTBSY: { kind: 'transient', reason: 'Busy' },
  EXDEV: { kind: 'stalled', reason: 'OtherDevice' },
};
