/**
 * A folder for one run of the lab, removed with all that is in it. One that a killed run left behind is removed by the next.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labCacheFolder } from './cache-folder.ts';
import { runTool } from './run-tool.ts';
import { removeSysroot } from './sysroot.ts';

export type RunFolder = {
  readonly path: string;
  /** What the names of all its containers begin with: no other run on this computer has it. */
  readonly containerPrefix: string;
  readonly remove: () => Promise<void>;
};

export async function makeRunFolder(): Promise<RunFolder> {
  const runs = join(labCacheFolder(), 'runs');
  await mkdir(runs, { recursive: true });
  for (const name of await readdir(runs)) {
    const pid = Number(await readFile(join(runs, name, 'pid'), 'utf8').catch(() => '0'));
    if (pid > 0 && !isAlive(pid)) await removeRun(join(runs, name));
  }
  const path = await mkdtemp(join(runs, 'run-'));
  await writeFile(join(path, 'pid'), String(process.pid));
  return { path, containerPrefix: containerPrefix(path), remove: () => removeRun(path) };
}

function containerPrefix(run: string): string {
  return `millwright-${run.replace(/^.*-/, '').toLowerCase()}-`;
}

export function machineFolder(run: string, machine: string): string {
  return join(run, 'machines', machine);
}

async function removeRun(run: string): Promise<void> {
  await runTool(['sh', '-c', REMOVE_GROUPS, 'remove', containerPrefix(run)]);
  for (const machine of await readdir(join(run, 'machines')).catch(() => [])) {
    await removeSysroot(join(machineFolder(run, machine), 'sysroot'));
  }
  await rm(run, { recursive: true, force: true });
}

/** Control groups of containers whose guard was killed too. One that still has processes cannot be removed. */
const REMOVE_GROUPS = `
find /sys/fs/cgroup -type d -name "$1*" -prune 2>/dev/null | while read -r group; do
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
done
true
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
