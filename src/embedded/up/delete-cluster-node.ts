/**
 * `--fresh`: deletes a cluster. Removes only known files, and only if no process uses them.
 */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspectDataDir, storeFolderOf } from '../apiserver/data-dir-node.ts';
import { openStore } from '../apiserver/store/store-node.ts';
import { removeBuildFiles } from './remove-build-files-node.ts';

/** The folders of build pods. */
export const BUILDS = 'builds';

/** The objects come last: as long as they exist, the directory is recognised as ours. */
const OURS = ['cluster.json', 'log', 'log.1', 'logs', 'nodes', 'registry', 'kubeconfig', 'pki', 'apiserver'];

/** Throws a `Failure` if the directory belongs to something else, or is in use. */
export async function deleteCluster(
  dataDir: string,
  environment: { readonly [name: string]: string | undefined },
): Promise<void> {
  if (inspectDataDir(dataDir) === 'new') return;
  const store = openStore({ folder: storeFolderOf(dataDir) });
  await store.close();
  await removeBuildFiles(join(dataDir, BUILDS), environment);
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
