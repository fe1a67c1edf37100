/** Errors of the operating system as messages. */

/** The first line of the message for other errors. */
export function osErrorMessage(error: unknown): string {
  const code = errnoOf(error);
  const message = MESSAGES.get(code);
  if (message !== undefined) return message;
  if (code !== '') return `the operating system reports ${code}`;
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}

/** Such as `ENOENT`; empty for other errors. */
export function errnoOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : '';
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EADDRNOTAVAIL', 'the address is not available on this machine'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EEXIST', 'file exists'],
  ['EIO', 'input/output error'],
  ['EISDIR', 'is a directory'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['EMFILE', 'too many open files'],
  ['ENAMETOOLONG', 'file name too long'],
  ['ENFILE', 'too many open files'],
  ['ENOENT', 'no such file or directory'],
  ['ENOSPC', 'no space left on device'],
  ['ENOTDIR', 'not a directory'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'read-only file system'],
]);
