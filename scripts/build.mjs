// Bundles the command line into dist/. Chunks are named by content hash and written first; the entry is replaced last and
// atomically, so that a `millwright` that starts or runs meanwhile finds all its chunks.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions, root } from './bundle-options.mjs';

const fresh = join(root, `dist.${process.pid}`);
const target = join(root, 'dist');
/** Chunks of earlier builds are kept for this long, for processes that still run them. */
const KEEP_MS = 60 * 60 * 1000;

try {
  mkdirSync(fresh, { recursive: true });
  mkdirSync(target, { recursive: true });
  await build({ ...bundleOptions, outdir: fresh });
  const chunks = readdirSync(fresh).sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js'));
  for (const chunk of chunks) renameSync(join(fresh, chunk), join(target, chunk));
  for (const old of readdirSync(target).filter((name) => !chunks.includes(name))) {
    const path = join(target, old);
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path, { recursive: true, force: true });
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
