import { defineConfig } from 'vitest/config';

/** `npm run test:lab`: apart from `npm test`, since it needs root and boots machines. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  test: {
    include: ['test/lab/*.lab.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
