import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'requests and answers are lost, news come late, and the leading controller is cut off',
  found: 'A write without an answer may have been made: another node would be sent beside the first.',
  scenario: aScenario({
    seed: 13,
    steps: [
      { atMs: 0, kind: 'set maxUnavailable', pool: 'worker', value: 2 },
      {
        atMs: 1_000,
        kind: 'bad network',
        conditions: { latencyMs: [1, 200], faults: 0.3, lateMs: 20_000 },
        ms: 8 * MINUTE,
      },
      { atMs: 2 * MINUTE, kind: 'partition', process: 'controller/0', ms: 2 * MINUTE },
      { atMs: 5 * MINUTE, kind: 'partition', process: 'daemon/worker-1', ms: 3 * MINUTE },
    ],
  }),
};
