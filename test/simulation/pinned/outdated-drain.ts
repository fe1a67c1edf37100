import type { PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'a drain is requested when a config is desired again whose OS image cannot be pulled',
  found:
    'The node was cordoned and drained for the config of before, and stayed so: the image of the one that was desired could not be pulled (seed 1172).',
  scenario: {
    seed: 1172,
    nodes: [
      { name: 'worker-1', roles: ['worker'], zone: 'zone-1' },
      { name: 'worker-2', roles: ['worker'], zone: 'zone-0' },
    ],
    workloads: [],
    times: { bootMs: 78_530, shutDownMs: 5_000, pullMs: 17_738, stageMs: 5_000 },
    steps: [
      {
        atMs: 0,
        kind: 'apply config',
        name: '50-change-0',
        role: 'worker',
        content: { kind: 'os image', number: 0 },
      },
      { atMs: 721_927, kind: 'set maxUnavailable', pool: 'worker', value: 3 },
      {
        atMs: 913_104,
        kind: 'apply config',
        name: '50-change-2',
        role: 'worker',
        content: { kind: 'os image', number: 2 },
      },
      { atMs: 1_018_788, kind: 'delete config', name: '50-change-2' },
    ],
    lengthMs: 1_273_641,
  },
};
