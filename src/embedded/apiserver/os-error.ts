/**
 * What the operating system says no with, in plain words.
 */

/** Of an error of the system what it means; of any other its own first line. */
export function plainWords(error: unknown): string {
  const code = codeOf(error);
  const words = WORDS.get(code);
  if (words !== undefined) return words;
  if (code !== '') return `the system refuses it (${code})`;
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}

/** Such as `ENOENT`; empty where the error is none of the system's. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : '';
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EADDRNOTAVAIL', 'this machine does not have that address'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EEXIST', 'something else is there already'],
  ['EIO', 'the disk does not work'],
  ['EISDIR', 'it is a folder, not a file'],
  ['ELOOP', 'a link leads to itself'],
  ['EMFILE', 'too many files are open'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENFILE', 'too many files are open'],
  ['ENOENT', 'no such file or folder'],
  ['ENOSPC', 'no space is left on the disk'],
  ['ENOTDIR', 'it is a file, not a folder, or something on the way to it is'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system can only be read'],
]);
