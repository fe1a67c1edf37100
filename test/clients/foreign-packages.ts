/**
 * The packages of `npm/package.json`, as their lock file pins them. They are installed into a cache, never
 * among the dependencies of the project, under a name that changes with the lock file.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';

/** The folder `node_modules`. With `MILLWRIGHT_REQUIRE_TOOLS=1` packages that are not to be had are an error. */
export async function foreignPackages(): Promise<string | Unavailable> {
  const found = await install();
  if (typeof found !== 'string' && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`foreign clients are required but unavailable: ${found.unavailable}`);
  }
  return found;
}

const sourceFolder = fileURLToPath(new URL('npm', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/millwright', import.meta.url));
const INSTALL_TIMEOUT_MS = 5 * 60_000;

async function install(): Promise<string | Unavailable> {
  const lock = await readFile(join(sourceFolder, 'package-lock.json'));
  const folder = join(cacheFolder, `clients-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  const packages = join(folder, 'node_modules');
  if (await exists(packages)) return packages;
  await mkdir(cacheFolder, { recursive: true });
  const unfinished = await mkdtemp(join(cacheFolder, 'clients-unfinished-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      await copyFile(join(sourceFolder, file), join(unfinished, file));
    }
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', args, { cwd: unfinished, timeout: INSTALL_TIMEOUT_MS });
    // Renaming is atomic: concurrent installs find all or nothing, and the later one fails.
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await exists(packages))) throw error;
    });
    return packages;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (WORLD_IS_MISSING.test(text)) return { unavailable: `npm cannot install them here: ${text}` };
    throw new Error('installing foreign clients', { cause: error });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Errors of npm without a registry or if it lacks a package: not a fault of the lock file. */
const WORLD_IS_MISSING = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|E40[134]|spawn npm ENOENT/;

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
