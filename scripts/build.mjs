// Bundles the command line into dist/. Written beside its final place and then renamed, so that a
// `millwright` that starts meanwhile never sees half a build.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const fresh = join(root, `dist.${process.pid}`);
const target = join(root, 'dist');

try {
  mkdirSync(fresh, { recursive: true });
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
    // Some dependencies are CommonJS and call `require` for node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
