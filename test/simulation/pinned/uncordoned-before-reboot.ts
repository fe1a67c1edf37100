import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'a drained node whose machine refuses to reboot is uncordoned by a person',
  found: 'The node rebooted with the pods that it had taken since (seed 1502).',
  scenario: aScenario({
    seed: 1502,
    steps: [
      ...(['worker-0', 'worker-1', 'worker-2'] as const).flatMap((node) => [
        { atMs: 0, kind: 'refused reboot', node, ms: 8 * MINUTE } as const,
        { atMs: 2 * MINUTE, kind: 'cordon', node, isCordoned: false } as const,
      ]),
    ],
  }),
};
