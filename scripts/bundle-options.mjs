// Bundle options of the command line: for dist/ (build.mjs), and for the test of what each command loads.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const bundleOptions = {
  absWorkingDir: root,
  entryPoints: [join(root, 'src/main.ts')],
  bundle: true,
  // Each command is a chunk of its own, loaded when it is called.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  // It has a native library, which cannot be bundled.
  external: ['lmdb'],
  // Some dependencies are CommonJS and call `require` for node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};
