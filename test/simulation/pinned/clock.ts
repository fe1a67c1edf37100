import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'clocks of a controller and of a machine are wrong by ten minutes, during a blocked drain',
  found: 'A time that another clock has written lies in the future: a retry would wait for it.',
  scenario: aScenario({
    seed: 12,
    steps: [
      { atMs: 0, kind: 'set budget', workload: 'web', minAvailable: 2 },
      { atMs: 20_000, kind: 'skew clock', process: 'controller/0', skewMs: 10 * MINUTE },
      { atMs: 20_000, kind: 'skew clock', process: 'daemon/worker-0', skewMs: -10 * MINUTE },
      { atMs: 3 * MINUTE, kind: 'kill', process: 'controller/0' },
      { atMs: 6 * MINUTE, kind: 'set budget', workload: 'web', minAvailable: 1 },
    ],
  }),
};
