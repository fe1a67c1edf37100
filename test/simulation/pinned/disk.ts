import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'disks are full while files are written',
  found: 'The update fails half way: the node would stay degraded when there is room again.',
  scenario: aScenario({
    seed: 15,
    steps: [
      {
        atMs: 30_000,
        kind: 'apply config',
        name: '51-file',
        role: 'worker',
        content: { kind: 'file', path: '/etc/app.conf', text: 'value 1\n' },
      },
      { atMs: 20_000, kind: 'full disk', node: 'worker-0', ms: 6 * MINUTE },
      { atMs: MINUTE, kind: 'full disk', node: 'worker-2', ms: 3 * MINUTE },
    ],
  }),
};
