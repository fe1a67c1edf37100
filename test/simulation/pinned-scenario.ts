import type { Scenario } from '../../src/simulation/index.ts';

/** A scenario that has to pass for ever: it found a mistake, or it shows what a kind of fault must not do. */
export type PinnedScenario = {
  readonly name: string;
  /** What went wrong before it was mended, or what would. */
  readonly found: string;
  readonly scenario: Scenario;
};

export const MINUTE = 60_000;

/** Three workers, two applications and a change that reboots every worker, which is what most scenarios need; override the rest. */
export function aScenario({ steps = [], ...others }: Partial<Scenario>): Scenario {
  return {
    seed: 1,
    nodes: ['worker-0', 'worker-1', 'worker-2'].map((name) => ({ name, roles: ['worker'] })),
    workloads: [
      { name: 'web', replicas: 2, minAvailable: 1 },
      { name: 'batch', replicas: 2 },
    ],
    times: { bootMs: 30_000, shutDownMs: 5_000, pullMs: 20_000, stageMs: 5_000 },
    lengthMs: 15 * MINUTE,
    ...others,
    steps: [
      {
        atMs: 0,
        kind: 'apply config',
        name: '50-change',
        role: 'worker',
        content: { kind: 'kernel argument', value: 'app=1' },
      },
      ...steps,
    ],
  };
}
