import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Property tests and real tools may be slow on a loaded machine; a hang is still found.
    testTimeout: 120_000,
    hookTimeout: 600_000,
    // The longest tests wait for programs of their own more than they compute: also two cores have room for two.
    maxWorkers: '100%',
  },
});
