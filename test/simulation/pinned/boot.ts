import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'one machine refuses to reboot, one does not come up, one takes very long',
  found: 'A reboot that was asked for and did not happen would count as done, or be waited for in vain.',
  scenario: aScenario({
    seed: 16,
    steps: [
      { atMs: 0, kind: 'refused reboot', node: 'worker-0', ms: 4 * MINUTE },
      { atMs: 0, kind: 'stuck boot', node: 'worker-1', ms: 8 * MINUTE },
      { atMs: 0, kind: 'slow machine', node: 'worker-2', factor: 8 },
    ],
  }),
};
