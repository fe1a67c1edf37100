/**
 * The kubectls of this machine: the one in the path, and others of known versions beside it or in
 * `MILLWRIGHT_KUBECTLS` (paths, separated by colons).
 */
import { execFile } from 'node:child_process';
import { access, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export type Kubectl = { readonly version: string; readonly program: string };

const OLDEST = 27;
const NEWEST = 33;

/**
 * The oldest and the newest minor version, which differ most in what they send; with `MILLWRIGHT_EVERY_KUBECTL=1` one of each.
 */
export async function findKubectls(): Promise<readonly Kubectl[]> {
  const all = await allKubectls();
  if (process.env.MILLWRIGHT_EVERY_KUBECTL === '1') return all;
  return all.filter((_, index) => index === 0 || index === all.length - 1);
}

/** The oldest first. */
async function allKubectls(): Promise<readonly Kubectl[]> {
  const found = new Map<number, Kubectl>();
  for (const program of await candidates()) {
    const version = await versionOf(program);
    const minor = Number(/^v1\.(\d+)\./.exec(version)?.[1]);
    if (minor >= OLDEST && minor <= NEWEST && !found.has(minor)) found.set(minor, { version, program });
  }
  return [...found].sort(([a], [b]) => a - b).map(([, kubectl]) => kubectl);
}

async function candidates(): Promise<readonly string[]> {
  const given = (process.env.MILLWRIGHT_KUBECTLS ?? '').split(delimiter).filter((path) => path !== '');
  const inPath = await firstInPath();
  if (inPath === undefined) return given;
  const folder = dirname(await realpath(inPath));
  const beside = Array.from({ length: NEWEST - OLDEST + 1 }, (_, index) =>
    join(folder, `kubectl.1.${OLDEST + index}`),
  );
  const there = await Promise.all(beside.map(async (path) => ((await exists(path)) ? [path] : [])));
  return [...given, ...there.flat(), inPath];
}

async function firstInPath(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'kubectl');
    if (await exists(path)) return path;
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Empty if the program does not report its version. */
async function versionOf(program: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, ['version', '--client', '-o', 'json']);
    return String(JSON.parse(stdout).clientVersion.gitVersion);
  } catch {
    return '';
  }
}
