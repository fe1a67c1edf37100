// Runs one TypeScript file of ours (a generator, a benchmark): `node scripts/run.mjs FILE [ARGS…]`.
import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [file, ...args] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node scripts/run.mjs FILE [ARGS…]');
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'node_modules/.cache/millwright');
const outfile = join(folder, `${basename(file, '.ts')}.${process.pid}.mjs`);
mkdirSync(folder, { recursive: true });
// Not earlier: a script may start itself again as a child.
process.on('exit', () => rmSync(outfile, { force: true }));
await build({
  entryPoints: [resolve(file)],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
process.argv = [process.argv[0], file, ...args];
await import(pathToFileURL(outfile).href);
