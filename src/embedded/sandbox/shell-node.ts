/**
 * Finds the shell for the OS image on this machine.
 */
import { readFile, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { parseShell, type Shell } from './shell.ts';

const NAMES = ['busybox', 'busybox-static', 'busybox.static'];
const MAX_BYTES = 16 * 1024 ** 2;

/** The first static BusyBox in the directories of `PATH`. */
export async function findShell(searchPath: string | undefined): Promise<Shell | undefined> {
  for (const directory of (searchPath ?? '').split(delimiter)) {
    if (directory === '') continue;
    for (const name of NAMES) {
      const shell = await readShell(join(directory, name));
      if (shell !== undefined) return shell;
    }
  }
  return undefined;
}

async function readShell(path: string): Promise<Shell | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    return parseShell(new Uint8Array(await readFile(path)));
  } catch {
    // Missing, or not readable for this user: the next one may be.
    return undefined;
  }
}
