/**
 * Finds the files of a dump that are worth reading. A must-gather has many others, and may be gigabytes of logs: of its
 * `cluster-scoped-resources` and `namespaces` only the kinds of a dump are read.
 */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { DUMPED_KINDS } from './dump-kinds.ts';

/** Guards against a folder given by mistake, such as `/`. */
const MAX_FILES = 50_000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Deeper ones are no layout that is known. */
const MAX_DEPTH = 12;

/** A file that is read on demand: what is in it is known by its path. */
export type DumpedFile = { readonly path: string; readonly read: () => Promise<ReadText> };

type ReadText = { readonly text: string } | { readonly problem: string };

/** By path. */
export async function findDumpFiles(folder: string): Promise<readonly DumpedFile[]> {
  const paths: string[] = [];
  await visit(folder, folder, paths, 0);
  return paths.sort(compareBytes).map((path) => ({ path, read: () => readText(join(folder, path)) }));
}

/** A must-gather may have files that only its owner may read. */
async function readText(path: string): Promise<ReadText> {
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) return { problem: 'it is too large' };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return { problem: `it cannot be read (${String(error.code)})` };
  }
}

async function visit(root: string, folder: string, paths: string[], depth: number): Promise<void> {
  if (depth > MAX_DEPTH) return;
  for (const item of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isDirectory()) {
      if (isWorthVisiting(item)) await visit(root, path, paths, depth + 1);
      continue;
    }
    const name = relative(root, path);
    if (!item.isFile() || !isDumpedFile(name)) continue;
    if (paths.length >= MAX_FILES) {
      throw new Failure(
        'usage',
        'TooManyFiles',
        `more than ${MAX_FILES} files: give the folder of the dump itself`,
      );
    }
    paths.push(name);
  }
}

function isWorthVisiting({ name }: Dirent): boolean {
  return !name.startsWith('.') && !['node_modules', 'logs', 'audit_logs', 'host_service_logs'].includes(name);
}

const PLURALS: ReadonlySet<string> = new Set(DUMPED_KINDS.map(({ plural }) => plural));
const IS_MANIFEST = /\.(ya?ml|json)$/;

export function isManifest(path: string): boolean {
  return IS_MANIFEST.test(path);
}

/** By its path alone. Outside of the layout every manifest counts. */
export function isDumpedFile(path: string): boolean {
  if (!isManifest(path)) return false;
  const plural = pluralIn(path);
  return plural === undefined || PLURALS.has(plural);
}

/** The kind of the objects in the file, as its path tells; undefined outside of the layout. */
export function pluralIn(path: string): string | undefined {
  const parts = path.replace(IS_MANIFEST, '').split('/');
  const cluster = parts.indexOf('cluster-scoped-resources');
  // `cluster-scoped-resources/GROUP/PLURAL/NAME.yaml`, or all objects of the kind in `GROUP/PLURAL.yaml`.
  if (cluster >= 0) return parts[cluster + 2] ?? '';
  const namespaces = parts.indexOf('namespaces');
  if (namespaces < 0) return undefined;
  // `namespaces/NAMESPACE/GROUP/PLURAL/NAME.yaml` or `GROUP/PLURAL.yaml`; pods have `namespaces/NAMESPACE/pods/POD/POD.yaml`, too.
  const [, group = '', plural = ''] = parts.slice(namespaces + 1);
  return group === 'pods' ? group : plural;
}

/**
 * Where dumps begin among these paths: what comes before the layout in a path. Paths that start with one of them are of a dump;
 * the empty text means all of them.
 */
export function dumpRoots(paths: readonly string[]): readonly string[] {
  const roots = paths.flatMap((path) => /^((?:.*?\/)?)cluster-scoped-resources\//.exec(path)?.[1] ?? []);
  return [...new Set(roots)];
}
