/**
 * The mode of a file as in upstream's validation messages: letters, decimal, octal.
 */

export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** `-rw-r--r--/420/0644`; a folder `drwxr-xr-x/2147484141/020000000755`. */
export function fileModeText(kind: FileKind, mode: number): string {
  const number = numberOf(kind, mode);
  return `${letters(kind, mode)}/${number}/0${number.toString(8)}`;
}

/** Go's numbers, which have their own bits for file types and special modes. */
function numberOf(kind: FileKind, mode: number): number {
  const marks = MARKS.filter(({ isSet }) => isSet(kind, mode));
  return marks.reduce((sum, { bit }) => sum + 2 ** bit, mode & 0o777);
}

function letters(kind: FileKind, mode: number): string {
  const marks = MARKS.filter(({ isSet }) => isSet(kind, mode)).map(({ letter }) => letter);
  const permissions = [...'rwxrwxrwx'].map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-'));
  return `${marks.join('') || '-'}${permissions.join('')}`;
}

const MARKS: readonly {
  readonly bit: number;
  readonly letter: string;
  readonly isSet: (kind: FileKind, mode: number) => boolean;
}[] = [
  { bit: 31, letter: 'd', isSet: (kind) => kind === 'folder' },
  { bit: 27, letter: 'L', isSet: (kind) => kind === 'link' },
  { bit: 23, letter: 'u', isSet: (_, mode) => (mode & 0o4000) !== 0 },
  { bit: 22, letter: 'g', isSet: (_, mode) => (mode & 0o2000) !== 0 },
  { bit: 20, letter: 't', isSet: (_, mode) => (mode & 0o1000) !== 0 },
  { bit: 19, letter: '?', isSet: (kind) => kind === 'other' },
];
