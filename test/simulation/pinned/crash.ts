import { aScenario, MINUTE, type PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'daemon and controllers are killed before and after calls, in the middle of an update',
  found: 'What a process keeps only in memory is lost: a node would stay cordoned, or be sent twice.',
  scenario: aScenario({
    seed: 11,
    steps: [
      { atMs: 10_000, kind: 'kill at call', process: 'controller/0', call: 3, side: 'after' },
      { atMs: 30_000, kind: 'kill at call', process: 'daemon/worker-0', call: 40, side: 'before' },
      { atMs: 45_000, kind: 'kill', process: 'controller/1' },
      { atMs: MINUTE, kind: 'kill at call', process: 'daemon/worker-1', call: 25, side: 'after' },
      { atMs: 3 * MINUTE, kind: 'terminate', process: 'controller/0' },
      { atMs: 4 * MINUTE, kind: 'stop process', process: 'controller/1', ms: 2 * MINUTE },
      { atMs: 5 * MINUTE, kind: 'kill', process: 'operator/0' },
    ],
  }),
};
