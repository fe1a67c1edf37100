/**
 * Reads the files of a command line.
 *
 * A directory is searched recursively for manifests; a file is read whatever its name; `-` is stdin. All unusable paths
 * are reported at once, and the rest is still read.
 */
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compareBytes } from '../../base/json.ts';
import { MAX_YAML_LENGTH } from '../../base/yaml/index.ts';
import type { Ports } from '../ports.ts';

export type InputFile = {
  /** As written by the user. */
  readonly name: string;
  readonly text: string;
  /** Whether the user named the file itself rather than a directory. */
  readonly isNamed: boolean;
};

type Input = {
  readonly files: readonly InputFile[];
  /** One line per unusable path. */
  readonly unusable: readonly string[];
};

/** Guards against a directory given by mistake, such as `/`. */
const MAX_INPUT_FILES = 10_000;

/** A UTF-16 code unit takes at most three bytes, so larger files exceed the limit in any case. */
const MAX_FILE_BYTES = 3 * MAX_YAML_LENGTH;

export async function readInput(
  paths: readonly string[],
  { cwd, stdin }: Pick<Ports, 'cwd' | 'stdin'>,
): Promise<Input> {
  const search: Search = { cwd, names: [], seen: new Set(), unusable: [] };
  for (const path of paths) await findFiles(search, path);
  const files: InputFile[] = [];
  for (const name of search.names) {
    const isStdin = name === STDIN;
    try {
      const text = decode(await readAll(isStdin ? stdin : createReadStream(resolve(cwd, name))));
      files.push({ name: isStdin ? 'stdin' : name, text, isNamed: paths.includes(name) });
    } catch (error) {
      search.unusable.push(`${isStdin ? 'stdin' : name}: ${reasonOf(error)}`);
    }
  }
  return { files, unusable: search.unusable };
}

const STDIN = '-';

type Search = {
  readonly cwd: string;
  /** Files to read, in order. */
  readonly names: string[];
  /** Real paths of all visited files and directories: symlinks may form cycles, and paths may overlap. */
  readonly seen: Set<string>;
  readonly unusable: string[];
};

async function findFiles(search: Search, path: string): Promise<void> {
  const before = search.names.length;
  try {
    // An unset variable of a script is no request for the present directory.
    if (path === '') throw new Unusable('an empty path: name a file or a directory');
    if (path === STDIN) {
      if (!search.names.includes(STDIN)) search.names.push(STDIN);
      return;
    }
    if ((await visit(search, path)) === 'directory' && search.names.length === before) {
      throw new Unusable('no manifests (*.yaml, *.yml, *.json) in this directory');
    }
  } catch (error) {
    search.unusable.push(path === '' ? reasonOf(error) : `${path}: ${reasonOf(error)}`);
  }
}

async function visit(search: Search, path: string): Promise<'file' | 'directory' | 'seen'> {
  const absolute = resolve(search.cwd, path);
  const isDirectory = (await stat(absolute)).isDirectory();
  // A pipe such as <(kustomize build .) has a name to open but none to resolve.
  const real = isDirectory ? await realpath(absolute) : await realpath(absolute).catch(() => absolute);
  if (search.seen.has(real)) return 'seen';
  search.seen.add(real);
  if (!isDirectory) {
    if (search.names.length >= MAX_INPUT_FILES) {
      throw new Unusable(`more than ${MAX_INPUT_FILES} files: give the directory with the manifests`);
    }
    search.names.push(path);
    return 'file';
  }
  const items = await readdir(absolute, { withFileTypes: true });
  for (const item of items.toSorted((a, b) => compareBytes(a.name, b.name))) {
    if (item.name.startsWith('.') || item.name === 'node_modules') continue;
    const child = join(path, item.name);
    const mayBeDirectory = item.isDirectory() || item.isSymbolicLink();
    if (MANIFEST.test(item.name) || mayBeDirectory) await visitChild(search, child);
  }
  return 'directory';
}

const MANIFEST = /\.(yaml|yml|json)$/;

/** Visits directories and manifests; pipes and devices are read only when named. */
async function visitChild(search: Search, path: string): Promise<void> {
  try {
    const found = await stat(resolve(search.cwd, path));
    if (found.isDirectory() || (found.isFile() && MANIFEST.test(path))) await visit(search, path);
  } catch (error) {
    if (error instanceof Unusable) throw error;
    // A dangling symlink is ignored unless it looks like a manifest.
    const isDangling = !MANIFEST.test(path) && codeOf(error) === 'ENOENT';
    if (!isDangling) search.unusable.push(`${path}: ${reasonOf(error)}`);
  }
}

/** Pipes such as `<(kustomize build .)` have no size, so the limit is checked while reading. */
async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) {
      throw new Unusable(`more than ${MAX_FILE_BYTES / 1024 / 1024} MiB: split the file`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unusable('not UTF-8 text: save it as UTF-8');
  }
}

/** An error whose message is already meant for the user. */
class Unusable extends Error {}

/** Why something cannot be read, as a message for the user. */
export function reasonOf(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  return reasons[code] ?? `cannot be read (${code || String(error)})`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const reasons: { readonly [code: string]: string } = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
};
