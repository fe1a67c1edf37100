/**
 * `--fresh`: deletes a cluster. Removes only known files, and only if no process uses them.
 */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspectDataDir, storeFolderOf } from '../apiserver/data-dir-node.ts';
import { openStore } from '../apiserver/store/store-node.ts';

/** The objects come last: as long as they exist, the directory is recognised as ours. */
const OURS = ['cluster.json', 'log', 'log.1', 'logs', 'nodes', 'registry', 'kubeconfig', 'pki', 'apiserver'];

/** Throws a `Failure` if the directory belongs to something else, or is in use. */
export async function deleteCluster(dataDir: string): Promise<void> {
  if (inspectDataDir(dataDir) === 'new') return;
  const store = openStore({ folder: storeFolderOf(dataDir) });
  await store.close();
  for (const name of OURS) removeAll(join(dataDir, name));
}

/** Machines may contain directories without permissions. */
function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    makeAccessible(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function makeAccessible(directory: string): void {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(directory, 0o700);
  for (const name of readdirSync(directory)) makeAccessible(join(directory, name));
}
