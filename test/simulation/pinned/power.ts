import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'the power is cut within writes of an update, and again while the machine boots',
  found: 'Half an update is on the disk: the node would claim a config that it does not have.',
  scenario: aScenario({
    seed: 14,
    steps: [
      { atMs: 0, kind: 'power cut at write', node: 'worker-0', call: 30, when: 'within', ms: 20_000 },
      { atMs: 0, kind: 'power cut at write', node: 'worker-1', call: 60, when: 'before', ms: 5_000 },
      { atMs: 0, kind: 'power cut at write', node: 'worker-2', call: 12, when: 'within', ms: MINUTE },
      { atMs: 4 * MINUTE, kind: 'power cut', node: 'worker-0', ms: 10_000 },
      { atMs: 6 * MINUTE, kind: 'power cut', node: 'worker-1', ms: 3 * MINUTE },
    ],
  }),
};
