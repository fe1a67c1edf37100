// Bundles the command line into dist/. The pieces have names that follow from their content and are put in place
// first, the entry last and in one step: a `millwright` that starts or runs meanwhile finds all that it needs.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const fresh = join(root, `dist.${process.pid}`);
const target = join(root, 'dist');
/** Pieces of earlier builds are kept for this long, for those who still run them. */
const KEEP_MS = 60 * 60 * 1000;

try {
  mkdirSync(fresh, { recursive: true });
  mkdirSync(target, { recursive: true });
  await build({
    entryPoints: [join(root, 'src/main.ts')],
    outdir: fresh,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    // It brings a library of the machine's own kind, which cannot be bundled.
    external: ['lmdb'],
    // Some dependencies are CommonJS and call `require` for node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  const pieces = readdirSync(fresh).sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js'));
  for (const piece of pieces) renameSync(join(fresh, piece), join(target, piece));
  for (const old of readdirSync(target).filter((name) => !pieces.includes(name))) {
    const path = join(target, old);
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path, { recursive: true, force: true });
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
