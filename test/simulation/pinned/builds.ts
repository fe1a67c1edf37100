import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'builds fail and hang, a built image is deleted, builders are killed, and image mode ends',
  found: 'Nodes would be sent to images that are not there, or builds would be left behind.',
  scenario: aScenario({
    seed: 3,
    lengthMs: 30 * MINUTE,
    steps: [
      { atMs: 0, kind: 'builds fail', ms: 2 * MINUTE },
      { atMs: 1_000, kind: 'apply os config', pool: 'worker', version: 1 },
      { atMs: 5 * MINUTE, kind: 'kill at call', process: 'builder/0', call: 5, side: 'after' },
      { atMs: 5 * MINUTE, kind: 'kill at call', process: 'builder/1', call: 5, side: 'after' },
      { atMs: 14 * MINUTE, kind: 'lost built image', pool: 'worker' },
      { atMs: 18 * MINUTE, kind: 'builds hang', ms: MINUTE },
      { atMs: 18 * MINUTE, kind: 'apply os config', pool: 'worker', version: 2 },
      { atMs: 28 * MINUTE, kind: 'delete os config', pool: 'worker' },
    ],
  }),
};
