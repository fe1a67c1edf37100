/**
 * `--fresh`: forgets a cluster. Only what is known to be ours is removed, and only where no process uses it.
 */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspectDataDir, storeFolderOf } from '../apiserver/data-dir-node.ts';
import { openStore } from '../apiserver/store/store-node.ts';

/** The objects go last: as long as they are there, the folder is known to be ours. */
const OURS = ['cluster.json', 'log', 'log.1', 'logs', 'nodes', 'registry', 'kubeconfig', 'pki', 'apiserver'];

/** Throws a `Failure` where the folder is something else, or in use. */
export async function forgetCluster(dataDir: string): Promise<void> {
  if (inspectDataDir(dataDir) === 'new') return;
  const store = openStore({ folder: storeFolderOf(dataDir) });
  await store.close();
  for (const name of OURS) removeAll(join(dataDir, name));
}

/** Machines may hold folders that not even their owner may look into. */
function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openFolders(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) openFolders(join(folder, name));
}
