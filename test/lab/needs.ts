/** The requirements of the lab. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Unavailable } from '../oracle/oracle.ts';
import { PACKAGES } from './machine-root.ts';
import { tryTool } from './run-tool.ts';

/** As Debian packages them: `systemd-container`, `ostree`, `skopeo`; the rest is on every Debian. */
const PROGRAMS = [
  'systemd-nspawn',
  'ostree',
  'skopeo',
  'dpkg',
  'nsenter',
  'unshare',
  'chattr',
  'ldd',
  'gzip',
  'tar',
];

type MoreNeeds = { readonly programs?: readonly string[]; readonly packages?: readonly string[] };

/** Undefined where all are met. With `MILLWRIGHT_REQUIRE_TOOLS=1` it throws instead: CI must not skip silently. */
export async function whatTheLabLacks({
  programs = [],
  packages = [],
}: MoreNeeds = {}): Promise<Unavailable | undefined> {
  const unavailable = await firstLack([...PROGRAMS, ...programs], [...PACKAGES, ...packages]);
  if (unavailable === undefined) return undefined;
  if (process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') throw new Error(`the lab is required: ${unavailable}`);
  return { unavailable };
}

async function firstLack(
  programs: readonly string[],
  packages: readonly string[],
): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, to boot machines in containers';
  const missing = programs.filter((name) => !isOnPath(name));
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  const { exitCode, stderr } = await tryTool(['dpkg', '-L', ...packages], { allowsFailure: true });
  if (exitCode !== 0) return `packages are missing: ${stderr.trim().split('\n')[0] ?? ''}`;
  const spaces = await tryTool(['unshare', '--mount', '--pid', '--fork', 'true'], { allowsFailure: true });
  return spaces.exitCode === 0 ? undefined : `it may not make namespaces: ${spaces.stderr.trim()}`;
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
