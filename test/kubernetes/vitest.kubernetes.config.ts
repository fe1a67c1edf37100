import { defineConfig } from 'vitest/config';

/** `npm run test:kubernetes`: apart from `npm test`, since a real server must be built or given first. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  test: {
    include: ['test/kubernetes/*.kubernetes.ts'],
    testTimeout: 180_000,
    // Starting kube-controller-manager may build it first.
    hookTimeout: 1_800_000,
    fileParallelism: false,
    maxConcurrency: 12,
  },
});
