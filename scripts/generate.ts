/**
 * Writes what is generated from the sources: `manifests/crds/<plural>.<group>.yaml`, one file per kind.
 * `--check` writes nothing and fails when a file is not current.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedManifests } from './generated-manifests.ts';

const folder = 'manifests/crds';
const isCheck = process.argv.includes('--check');
const wanted = generatedManifests();
mkdirSync(folder, { recursive: true });
const stale: string[] = [];
for (const name of readdirSync(folder)) {
  if (wanted.has(name)) continue;
  stale.push(name);
  if (!isCheck) rmSync(join(folder, name));
}
for (const [name, text] of wanted) {
  const path = join(folder, name);
  if (currentText(path) === text) continue;
  stale.push(name);
  if (!isCheck) writeFileSync(path, text);
}
if (isCheck && stale.length > 0) {
  console.error(`not current in ${folder}: ${stale.sort().join(', ')}; run npm run generate`);
  process.exitCode = 1;
} else {
  console.log(`${folder}: ${wanted.size} files, ${isCheck ? 'all current' : `${stale.length} changed`}`);
}

function currentText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
