import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A suite is a part of a file's name: `pools.test.ts` belongs to `npm test`, `pools.embedded.test.ts` to
 * `npm run test:embedded`. Each suite is a project here, so a single file runs with `npx vitest run <path>`.
 */
const SUITES = ['faults', 'embedded', 'images', 'oracle', 'lab', 'kubernetes', 'cluster'] as const;
const ROOTS = '{src,test}';

/** Files share their worker, and with it the modules: loading a thousand of them per file took most of the time. */
const shared = {
  isolate: false,
  testTimeout: 120_000,
  hookTimeout: 600_000,
  setupFiles: ['test/support/property-seed.ts'],
};

/** For suites in which every file takes the whole machine. */
const oneByOne = { isolate: true, fileParallelism: false };

/** They wait for most of a minute, so they begin first: at the end of a suite nothing would be left to run beside them. */
const LONG_WAITS = ['pause.embedded'];

/**
 * Stories of the cluster share one. The first ones want it as nobody has touched it, after the last one it is another; the rest
 * have their place so that every run is like the one before.
 */
const CLUSTER_STORIES = [
  ...['harness', 'adoption', 'changes', 'disturbances', 'refusals', 'takeover', 'certificates'],
  ...['pinned-images', 'joining', 'metrics', 'image-mode', 'base'],
];

const ORDER = [...LONG_WAITS, ...CLUSTER_STORIES.map((name) => `${name}.cluster`)];

/** Files that have no place come after those that have, as Vitest would sort them. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = ORDER.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? ORDER.length : found;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

const filesOf = (suite: (typeof SUITES)[number]) => ({
  name: suite,
  include: [`${ROOTS}/**/*.${suite}.test.ts`],
});

export default defineConfig({
  test: {
    // As many files at a time as there are cores: Vitest would leave one of them to itself.
    maxWorkers: '100%',
    sequence: { sequencer: InOrder },
    // To put the machines of a cluster away.
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          // Unit tests, and stories in memory: no program but Node is needed.
          name: 'unit',
          include: [`${ROOTS}/**/*.test.ts`],
          exclude: [`**/*.{${SUITES.join(',')}}.test.ts`],
          ...shared,
        },
      },
      {
        // Power cuts and kills at every point, and fuzzing: the same code as in the unit tests, many times over.
        test: { ...filesOf('faults'), ...shared },
      },
      {
        // Millwright as processes and over sockets in real time, with kubectl and other clients.
        test: { ...filesOf('embedded'), ...shared },
      },
      {
        // Image mode with real builds, for minutes: failures, kills, deletions.
        test: { ...filesOf('images'), ...shared },
      },
      {
        // Our answers beside those of the real programs and libraries. The first run builds some of them with Go.
        test: { ...filesOf('oracle'), ...shared },
      },
      {
        // Boots machines, as root.
        test: { ...filesOf('lab'), ...oneByOne, testTimeout: 600_000, hookTimeout: 600_000 },
      },
      {
        // A real kube-apiserver. Starting kube-controller-manager may build it first.
        test: {
          ...filesOf('kubernetes'),
          ...oneByOne,
          testTimeout: 180_000,
          hookTimeout: 1_800_000,
          maxConcurrency: 12,
        },
      },
      {
        // Millwright installed on a real cluster: kubelets on machines that boot, as root. The first run builds CRI-O and the kubelet.
        // All files are of one worker, and share what it has: see `test/cluster/story.ts`.
        test: {
          ...filesOf('cluster'),
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          // Longer than any wait of a story, whose own error says more.
          testTimeout: 1_800_000,
          hookTimeout: 3_600_000,
        },
      },
    ],
  },
});
