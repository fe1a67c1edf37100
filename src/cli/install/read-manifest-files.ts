/** Reads the manifests of the package. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ManifestFile, parseManifests } from '../../install/index.ts';

/** The CRDs, or everything else. */
export async function readManifestFiles(
  packageRoot: string,
  part: 'crds' | 'others',
): Promise<readonly ManifestFile[]> {
  const directory = join(packageRoot, 'manifests', part === 'crds' ? 'crds' : '');
  const texts = new Map<string, string>();
  for (const name of await readdir(directory)) {
    if (name.endsWith('.yaml')) texts.set(name, await readFile(join(directory, name), 'utf8'));
  }
  return parseManifests(texts);
}
