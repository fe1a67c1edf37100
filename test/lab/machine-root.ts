/**
 * The root of a small machine, made of the packages that are installed on this one: systemd, the programs that a daemon
 * calls, and the libraries that they load. Nothing is downloaded, so it takes seconds.
 */
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OsKind } from './os-files.ts';
import { runTool } from './run-tool.ts';

/** Their files are copied; what they depend on only as far as programs load it. */
export const PACKAGES: readonly string[] = [
  ...[
    'systemd',
    'util-linux',
    'util-linux-extra',
    'bsdutils',
    'mount',
    'login',
    'passwd',
    'libpam-modules',
    'libpam-runtime',
  ],
  ...[
    'libc-bin',
    'coreutils',
    'bash',
    'dash',
    'findutils',
    'mawk',
    'sed',
    'grep',
    'tar',
    'gzip',
    'procps',
    'hostname',
  ],
  'ostree',
  'skopeo',
];

/** Documentation, and files for other machines or unused features. */
const LEFT_OUT =
  /^\/usr\/share\/(doc|man|locale|info|lintian|bash-completion|zsh|polkit-1|pam-configs)\/|^\/usr\/lib\/(systemd\/(boot|user|network)|locale|udev|dracut|initcpio)\/|^\/etc\/(init\.d|xdg|update-motd\.d)\//;

/** Loaded with dlopen, so that no program declares them. */
const LOADED_BY_NAME = ['libnss_files.so.2', 'libgcc_s.so.1'];

/** Fills an empty folder. */
export async function makeMachineRoot(root: string, { packages, programs }: OsKind): Promise<void> {
  const files = await packagedFiles([...PACKAGES, ...packages]);
  // The daemon's own program comes from this machine too.
  const libraries = await librariesOf([...files, process.execPath, ...Object.values(programs)]);
  const list = [...new Set([...files, ...libraries])].sort().join('\0');
  await runTool(['mkdir', '-p', ...['bin', 'sbin', 'lib', 'lib64'].map((name) => join(root, 'usr', name))]);
  for (const name of ['bin', 'sbin', 'lib', 'lib64'])
    await runTool(['ln', '-s', `usr/${name}`, join(root, name)]);
  const copy = 'tar -C / --null --no-recursion -T - -c | tar -C "$1" -x';
  await runTool(['sh', '-ec', copy, 'copy', root], { input: list });
  for (const [path, source] of Object.entries(programs)) await runTool(['cp', source, join(root, path)]);
}

/** Below `/usr` and `/etc`, by their real folders: `/bin` is a link to `/usr/bin`. */
async function packagedFiles(packages: readonly string[]): Promise<readonly string[]> {
  const listed = (await runTool(['dpkg', '-L', ...packages])).split('\n');
  const folders = new Map<string, Promise<string | undefined>>();
  const realFolder = (path: string): Promise<string | undefined> => {
    const known = folders.get(path) ?? realpath(path).catch(() => undefined);
    folders.set(path, known);
    return known;
  };
  const found = await Promise.all(
    listed
      .filter((path) => path.startsWith('/') && path !== '/.')
      .map(async (path) => {
        const folder = await realFolder(dirname(path));
        const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
        return folder === undefined || isFolder ? [] : [join(folder, basename(path))];
      }),
  );
  const isThere = await Promise.all(
    found.flat().map((path) =>
      realpath(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.flat().filter((path, index) => isThere[index] && !LEFT_OUT.test(path));
}

async function librariesOf(files: readonly string[]): Promise<readonly string[]> {
  const programs: string[] = [];
  for (const file of files) if (await isProgram(file)) programs.push(file);
  // ldd prints an error for static programs and continues.
  const output = await runTool(['sh', '-c', 'ldd "$@" 2>/dev/null; true', 'ldd', ...programs]);
  const names = new Set([...output.matchAll(/^\t(?:\S+ => )?(\/\S+) \(0x/gm)].map((match) => match[1] ?? ''));
  const [folder = '/usr/lib'] = [...names].filter((path) => path.endsWith('/libc.so.6')).map(dirname);
  const all = [...names, ...LOADED_BY_NAME.map((name) => join(folder, name))];
  const places = await Promise.all(all.map(linkAndTarget));
  return places.flat();
}

/** A library is a link to a file whose name has the whole version: both are needed. */
async function linkAndTarget(path: string): Promise<readonly string[]> {
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) return [];
  return [join(await realpath(dirname(path)), basename(path)), target];
}

async function isProgram(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === '\x7fELF';
  } catch {
    // A link to a folder.
    return false;
  } finally {
    await file.close();
  }
}

/** Changes when another root would be made. */
export async function machineRootRecipe({ packages, programs }: OsKind): Promise<string> {
  const versions = await runTool(['dpkg-query', '--show', ...PACKAGES, ...packages]);
  const copied = await Promise.all(
    Object.entries(programs).map(async ([path, source]) => {
      const { size, mtimeMs } = await stat(source);
      return `${path} ${source} ${size} ${mtimeMs}\n`;
    }),
  );
  return `${versions}${copied.join('')}${await readFile(new URL(import.meta.url), 'utf8')}`;
}
