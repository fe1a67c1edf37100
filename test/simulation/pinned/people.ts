import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'people cordon, uncordon, pause, remove and add nodes in the middle of a rollout',
  found: 'A cordon of a person would be removed, or the slot of a node that is gone be kept.',
  scenario: aScenario({
    seed: 18,
    steps: [
      { atMs: 0, kind: 'cordon', node: 'worker-1', isCordoned: true },
      { atMs: 40_000, kind: 'cordon', node: 'worker-0', isCordoned: false },
      { atMs: 2 * MINUTE, kind: 'pause', pool: 'worker', isPaused: true },
      { atMs: 3 * MINUTE, kind: 'add node', node: { name: 'worker-3', roles: ['worker'] } },
      { atMs: 4 * MINUTE, kind: 'pause', pool: 'worker', isPaused: false },
      { atMs: 5 * MINUTE, kind: 'remove node', node: 'worker-2' },
      { atMs: 9 * MINUTE, kind: 'cordon', node: 'worker-1', isCordoned: false },
    ],
  }),
};
