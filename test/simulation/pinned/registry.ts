import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'the registry is down, loses an image, and an image never existed',
  found: 'Nodes would be drained for an image that cannot be pulled.',
  scenario: aScenario({
    seed: 17,
    steps: [
      { atMs: 0, kind: 'registry down', ms: 3 * MINUTE },
      {
        atMs: 1_000,
        kind: 'apply config',
        name: '51-os',
        role: 'worker',
        content: { kind: 'os image', number: 2 },
      },
      { atMs: 4 * MINUTE, kind: 'lost image', number: 2, ms: 2 * MINUTE },
      {
        atMs: 8 * MINUTE,
        kind: 'apply config',
        name: '52-os',
        role: 'worker',
        content: { kind: 'os image', number: 0 },
      },
    ],
  }),
};
