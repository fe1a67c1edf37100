/** A copy of the current build: a later build must not change it while the lab runs. */
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './run-tool.ts';

const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PARTS = ['dist', 'manifests', 'templates', 'images', 'package.json'];
const BUILD_LIMIT_MS = 300_000;

/** Returns the path of the entry. */
export async function copyProgram(folder: string): Promise<string> {
  await runTool(['sh', join(packageRoot, 'scripts/setup.sh'), '--build'], { limitMs: BUILD_LIMIT_MS });
  await mkdir(folder, { recursive: true });
  for (const part of PARTS) await cp(join(packageRoot, part), join(folder, part), { recursive: true });
  await symlink(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'dist/main.js');
}
