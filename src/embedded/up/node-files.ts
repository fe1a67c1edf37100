/**
 * The files of a machine, as served by the node proxy.
 */
import { Failure } from '../../base/errors.ts';
import type { FileStat, Host, HostFiles } from '../../node/host/index.ts';

type FileEntry = {
  /** Within its directory; for a single file, its path. */
  readonly name: string;
  readonly kind: FileStat['kind'];
  /** Four octal digits: `0644`, `4755`. */
  readonly mode: string;
  readonly sizeBytes: number;
  readonly owner: {
    readonly uid: number;
    readonly gid: number;
    /** From the accounts of the machine, if known. */
    readonly user?: string;
    readonly group?: string;
  };
  /** Of a symlink. */
  readonly target?: string;
};

type FileList = {
  readonly path: string;
  /** Whether the path is a directory. */
  readonly isFolder: boolean;
  readonly entries: readonly FileEntry[];
};

const MAX_ENTRIES = 10_000;

/** Like `ls -l`: symlinks are not followed unless the path ends with a slash. */
export async function listFiles(host: Host, path: string): Promise<FileList> {
  const { files } = host;
  const names = await files.list(path);
  const stat = await files.stat(path);
  const isFolder = names !== undefined && (stat?.kind === 'folder' || path.endsWith('/'));
  const describe = await entryWriter(files);
  if (!isFolder) {
    if (stat === undefined || path.endsWith('/')) throw noSuchFile(`stat ${path}`);
    return { path, isFolder, entries: [describe(path, stat)] };
  }
  if (names.length > MAX_ENTRIES) {
    throw new Failure('stalled', 'FileTooLarge', `${path} has more than ${MAX_ENTRIES} entries`);
  }
  const entries: FileEntry[] = [];
  for (const name of names) {
    const one = await files.stat(`${path.replace(/\/+$/, '')}/${name}`);
    // It may have been removed since.
    if (one !== undefined) entries.push(describe(name, one));
  }
  return { path, isFolder, entries };
}

/** Creates an empty file. Existing files are unchanged, since a sandbox records no times. */
export async function touchFile(
  { files }: Host,
  path: string,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const stat = await files.stat(path);
  if (stat?.kind === 'link' && !(await targetExists(files, path))) {
    throw new Failure('stalled', 'DanglingLink', `touch ${path}: dangling symlink`);
  }
  if (stat !== undefined) return { path, isNew: false };
  const directory = path.replace(/[^/]*\/*$/, '');
  if (path.endsWith('/') || (await files.list(directory)) === undefined) throw noSuchFile(`touch ${path}`);
  await files.write(path, { bytes: new Uint8Array(), mode: 0o644, owner: { uid: 0, gid: 0 } });
  return { path, isNew: true };
}

async function targetExists(files: HostFiles, path: string): Promise<boolean> {
  if ((await files.list(path)) !== undefined) return true;
  return (await files.read(path)) !== undefined;
}

export function noSuchFile(operation: string): Failure {
  return new Failure('stalled', 'NotFound', `${operation}: no such file or directory`);
}

async function entryWriter(files: HostFiles): Promise<(name: string, stat: FileStat) => FileEntry> {
  const users = await namesById(files, '/etc/passwd');
  const groups = await namesById(files, '/etc/group');
  return (name, { kind, mode, sizeBytes, owner, target }) => {
    const user = users.get(owner.uid);
    const group = groups.get(owner.gid);
    return {
      name,
      kind,
      mode: mode.toString(8).padStart(4, '0'),
      sizeBytes,
      owner: {
        ...owner,
        ...(user === undefined ? {} : { user }),
        ...(group === undefined ? {} : { group }),
      },
      ...(target === undefined ? {} : { target }),
    };
  };
}

const MAX_ACCOUNTS_BYTES = 1024 ** 2;

/** Parses passwd and group files; of several names for an id the first wins. */
async function namesById(files: HostFiles, path: string): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  const lines = new TextDecoder().decode(await files.read(path, MAX_ACCOUNTS_BYTES)).split('\n');
  for (const line of lines) {
    const [name = '', , id = ''] = line.split(':');
    if (name !== '' && /^\d{1,10}$/.test(id) && !names.has(Number(id))) names.set(Number(id), name);
  }
  return names;
}
