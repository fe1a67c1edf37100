/**
 * A folder for one run of the lab, removed with all that is in it. One that a killed run left behind is removed by the next.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labCacheFolder } from './cache-folder.ts';
import { removeSysroot } from './sysroot.ts';

export type RunFolder = { readonly path: string; readonly remove: () => Promise<void> };

export async function makeRunFolder(): Promise<RunFolder> {
  const runs = join(labCacheFolder(), 'runs');
  await mkdir(runs, { recursive: true });
  for (const name of await readdir(runs)) {
    const pid = Number(await readFile(join(runs, name, 'pid'), 'utf8').catch(() => '0'));
    if (pid > 0 && !isAlive(pid)) await removeRun(join(runs, name));
  }
  const path = await mkdtemp(join(runs, 'run-'));
  await writeFile(join(path, 'pid'), String(process.pid));
  return { path, remove: () => removeRun(path) };
}

export function machineFolder(run: string, machine: string): string {
  return join(run, 'machines', machine);
}

async function removeRun(run: string): Promise<void> {
  for (const machine of await readdir(join(run, 'machines')).catch(() => [])) {
    await removeSysroot(join(machineFolder(run, machine), 'sysroot'));
  }
  await rm(run, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
