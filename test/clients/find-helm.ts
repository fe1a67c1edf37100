/** Helm 3: the one in the path, or one that is built once from the module that `helm/go.mod` pins. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';

/** With `MILLWRIGHT_REQUIRE_TOOLS=1` none is an error. */
export async function findHelm(): Promise<string | Unavailable> {
  const found = (await isHelm('helm')) ? 'helm' : await builtHelm();
  if (typeof found !== 'string' && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`helm is required but unavailable: ${found.unavailable}`);
  }
  return found;
}

const run = promisify(execFile);
const sourceFolder = fileURLToPath(new URL('helm', import.meta.url));
/** Cold, it takes two minutes on two cores, and more where others build too. */
const BUILD_TIMEOUT_MS = 15 * 60_000;

function isHelm(program: string): Promise<boolean> {
  return run(program, ['version', '--short']).then(
    ({ stdout }) => stdout.startsWith('v3.'),
    () => false,
  );
}

async function builtHelm(): Promise<string | Unavailable> {
  const goVersion = await run('go', ['version']).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  if (goVersion === undefined) return { unavailable: 'neither helm nor go is installed' };
  const folder = join(cacheFolder(), 'helm');
  const program = join(folder, `helm-${await fingerprint(goVersion)}`);
  if (await exists(program)) return program;
  await mkdir(folder, { recursive: true });
  // Renaming is atomic: concurrent builds find a complete program or none.
  const unfinished = `${program}.${process.pid}.${performance.now()}`;
  try {
    const args = ['build', '-trimpath', '-buildvcs=false', '-o', unfinished, 'helm.sh/helm/v3/cmd/helm'];
    await run('go', args, { cwd: sourceFolder, timeout: BUILD_TIMEOUT_MS });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (WORLD_IS_MISSING.test(text)) return { unavailable: `go cannot build helm here: ${text}` };
    throw new Error('building helm', { cause: error });
  }
  await rename(unfinished, program);
  return program;
}

/** Errors of `go build` without network or with an old Go: not a fault of the pins. */
const WORLD_IS_MISSING =
  /dial tcp|lookup .* (no such host|server misbehaving)|i\/o timeout|connection (refused|reset)|handshake timeout|40[34] |module lookup disabled|requires go >=|unknown directive|toolchain not available/;

function cacheFolder(): string {
  const { MILLWRIGHT_CACHE, XDG_CACHE_HOME } = process.env;
  return MILLWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'millwright');
}

async function fingerprint(goVersion: string): Promise<string> {
  const hash = createHash('sha256').update(goVersion);
  for (const file of ['go.mod', 'go.sum']) {
    hash.update(`\0${file}\0`).update(await readFile(join(sourceFolder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
