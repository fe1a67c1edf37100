/**
 * Programs that are built once, from modules of Go that a `go.mod` pins, and kept in a cache outside the tree.
 *
 * Each is in a folder whose name changes with the pins, with the way it is built and with the version of Go.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';
import { cacheFolder } from './cache-folder.ts';

/** What a program is made of. */
export type Pinned = {
  readonly name: string;
  /** The folder of the cache that it is kept in. */
  readonly cache: string;
  /** Has `go.mod` and `go.sum`. */
  readonly folder: string;
  /** Paths in `folder` of other files that it is made of. */
  readonly sources?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type GoProgram = Pinned & {
  /** The import path of its main package. */
  readonly package: string;
};

/** The path of the program. Rejects where it could be built but cannot: with wrong pins, or sources. */
export function goProgram(program: GoProgram): Promise<string | Unavailable> {
  const { folder, flags = [], env = {} } = program;
  return builtOnce(program, async (path) => {
    await run('go', ['build', ...flags, '-o', path, program.package], {
      cwd: folder,
      env: { ...process.env, ...env },
      timeout: BUILD_TIMEOUT_MS,
    });
  });
}

/** `build` writes the program to the path that it is given. */
export async function builtOnce(
  pinned: Pinned,
  build: (path: string) => Promise<void>,
): Promise<string | Unavailable> {
  const goVersion = await run('go', ['version']).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  if (goVersion === undefined) return { unavailable: `go, which builds ${pinned.name}, is not installed` };
  const folder = join(cacheFolder(pinned.cache), await fingerprint(pinned, goVersion));
  const program = join(folder, pinned.name);
  if (await exists(program)) return program;
  await mkdir(folder, { recursive: true });
  // Renaming is atomic: concurrent builds find a complete program or none.
  const unfinished = `${program}.${process.pid}.${performance.now()}`;
  try {
    await build(unfinished);
    await rename(unfinished, program);
    return program;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (WORLD_IS_MISSING.test(text)) return { unavailable: `go cannot build ${pinned.name} here: ${text}` };
    throw new Error(`building ${pinned.name}`, { cause: error });
  } finally {
    await rm(unfinished, { force: true });
  }
}

const run = promisify(execFile);
/** Cold, one server of Kubernetes takes ten minutes and more on two cores. */
const BUILD_TIMEOUT_MS = 60 * 60_000;

/** Errors of `go build` without network or with an old Go: not a fault of the pins. */
const WORLD_IS_MISSING =
  /dial tcp|lookup .* (no such host|server misbehaving)|i\/o timeout|connection (refused|reset)|handshake timeout|40[34] |module lookup disabled|requires go >=|unknown directive|toolchain not available/;

async function fingerprint(pinned: Pinned, goVersion: string): Promise<string> {
  const { folder, sources = [], flags = [], env = {} } = pinned;
  const how = [goVersion, ...flags, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const hash = createHash('sha256').update(how.join('\0'));
  for (const file of ['go.mod', 'go.sum', ...sources]) {
    hash.update(`\0${file}\0`).update(await readFile(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
