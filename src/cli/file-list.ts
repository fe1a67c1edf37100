/**
 * Files of a node in the format of `ls -l`, without times, which sandboxes do not record.
 */
import { Failure } from '../base/errors.ts';
import { isObject, own } from '../base/json.ts';
import { printable } from '../base/text/index.ts';

type ListedFile = {
  readonly name: string;
  readonly kind: string;
  /** 0o0 to 0o7777. */
  readonly mode: number;
  readonly size: string;
  readonly user: string;
  readonly group: string;
  readonly target?: string;
};

/** `drwxr-xr-x root root 4096 containers`, in columns. */
export function formatFileList(files: readonly ListedFile[]): string {
  const width = (of: (file: ListedFile) => string) =>
    files.reduce((most, file) => Math.max(most, of(file).length), 0);
  const [user, group, size] = [width((one) => one.user), width((one) => one.group), width((one) => one.size)];
  return files
    .map((file) => {
      const owner = `${file.user.padEnd(user)} ${file.group.padEnd(group)}`;
      const target = file.target === undefined ? '' : ` -> ${printable(file.target)}`;
      return `${modeText(file)} ${owner} ${file.size.padStart(size)} ${printable(file.name)}${target}\n`;
    })
    .join('');
}

const KIND_LETTERS: ReadonlyMap<string, string> = new Map([
  ...([
    ['file', '-'],
    ['folder', 'd'],
    ['link', 'l'],
  ] as const),
]);

function modeText({ kind, mode }: ListedFile): string {
  const letters = [...'rwxrwxrwx'].map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-'));
  const mark = (bit: number, index: number, letter: string) => {
    if ((mode & bit) === 0) return;
    letters[index] = letters[index] === '-' ? letter.toUpperCase() : letter;
  };
  mark(0o4000, 2, 's');
  mark(0o2000, 5, 's');
  mark(0o1000, 8, 't');
  return `${KIND_LETTERS.get(kind) ?? '?'}${letters.join('')}`;
}

/** Parses the response of a node. */
export function parseFileList(answer: unknown): readonly ListedFile[] {
  const entries = isObject(answer) ? own(answer, 'entries') : undefined;
  if (!Array.isArray(entries)) throw unreadable();
  return entries.map(parseFile);
}

function parseFile(entry: unknown): ListedFile {
  if (!isObject(entry)) throw unreadable();
  const [name, kind, mode, sizeBytes] = ['name', 'kind', 'mode', 'sizeBytes'].map((key) => own(entry, key));
  const owner = own(entry, 'owner');
  const target = own(entry, 'target');
  if (typeof name !== 'string' || typeof mode !== 'string' || !/^[0-7]{4}$/.test(mode)) throw unreadable();
  const ownerText = (named: string, numbered: string): string => {
    const value = isObject(owner) ? (own(owner, named) ?? own(owner, numbered)) : undefined;
    return value === undefined ? '?' : printable(String(value));
  };
  return {
    name,
    kind: String(kind),
    mode: Number.parseInt(mode, 8),
    size: String(sizeBytes ?? '?'),
    user: ownerText('user', 'uid'),
    group: ownerText('group', 'gid'),
    ...(typeof target === 'string' ? { target } : {}),
  };
}

function unreadable(): Failure {
  return new Failure('transient', 'BadAnswer', 'the response of the node cannot be parsed');
}
