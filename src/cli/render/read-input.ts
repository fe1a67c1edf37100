/**
 * From the paths of a command line to texts.
 *
 * A folder stands for the manifests in it and below; a file is read whatever its name; `-` is stdin. What
 * cannot be used is reported, all of it at once, and the rest is still read.
 */
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compareBytes } from '../../base/json.ts';
import { MAX_YAML_LENGTH } from '../../base/yaml/index.ts';
import type { Ports } from '../ports.ts';

export type InputFile = {
  /** As the user would write it. */
  readonly name: string;
  readonly text: string;
  /** Whether the user named the file itself, rather than a folder in which it lies. */
  readonly isNamed: boolean;
};

type Input = {
  readonly files: readonly InputFile[];
  /** Lines that name a path and what is wrong with it. */
  readonly unusable: readonly string[];
};

/** More files than this in one run is a folder given by mistake, such as `/`. */
const MAX_INPUT_FILES = 10_000;

/** No character that counts as one takes more than three bytes, so larger files are too long in any case. */
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
  /** What to read, in order. */
  readonly names: string[];
  /** The real paths of all that was found: links may lead in circles, and paths may overlap. */
  readonly seen: Set<string>;
  readonly unusable: string[];
};

async function findFiles(search: Search, path: string): Promise<void> {
  const before = search.names.length;
  try {
    if (path === STDIN) {
      if (!search.names.includes(STDIN)) search.names.push(STDIN);
      return;
    }
    if ((await visit(search, path)) === 'folder' && search.names.length === before) {
      throw new Unusable('no manifests (*.yaml, *.yml, *.json) in this folder');
    }
  } catch (error) {
    search.unusable.push(`${path}: ${reasonOf(error)}`);
  }
}

async function visit(search: Search, path: string): Promise<'file' | 'folder' | 'seen'> {
  const absolute = resolve(search.cwd, path);
  const isFolder = (await stat(absolute)).isDirectory();
  // A pipe such as <(kustomize build .) has a name to open but none to resolve.
  const real = isFolder ? await realpath(absolute) : await realpath(absolute).catch(() => absolute);
  if (search.seen.has(real)) return 'seen';
  search.seen.add(real);
  if (!isFolder) {
    if (search.names.length >= MAX_INPUT_FILES) {
      throw new Unusable(`more than ${MAX_INPUT_FILES} files: name the folder with the manifests`);
    }
    search.names.push(path);
    return 'file';
  }
  const items = await readdir(absolute, { withFileTypes: true });
  for (const item of items.toSorted((a, b) => compareBytes(a.name, b.name))) {
    if (item.name.startsWith('.') || item.name === 'node_modules') continue;
    const child = join(path, item.name);
    const mayBeFolder = item.isDirectory() || item.isSymbolicLink();
    if (MANIFEST.test(item.name) || mayBeFolder) await visitChild(search, child);
  }
  return 'folder';
}

const MANIFEST = /\.(yaml|yml|json)$/;

/** Folders, and files with the name of a manifest; pipes and devices are read only when they are named. */
async function visitChild(search: Search, path: string): Promise<void> {
  try {
    const found = await stat(resolve(search.cwd, path));
    if (found.isDirectory() || (found.isFile() && MANIFEST.test(path))) await visit(search, path);
  } catch (error) {
    if (error instanceof Unusable) throw error;
    // A link that leads nowhere is of no concern unless it looks like a manifest.
    const isStray = !MANIFEST.test(path) && codeOf(error) === 'ENOENT';
    if (!isStray) search.unusable.push(`${path}: ${reasonOf(error)}`);
  }
}

/** Pipes such as `<(kustomize build .)` have no size, so the limit is watched while reading. */
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

/** Why something cannot be read, in plain words. */
export function reasonOf(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  const code = codeOf(error);
  return reasons[code] ?? `cannot be read (${code || String(error)})`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const reasons: { readonly [code: string]: string } = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'a folder, not a file',
  ELOOP: 'a link that leads to itself',
};
