import { describe, expect, it } from 'vitest';
import type { Scenario, Step } from './scenario/scenario.ts';
import { shrinkScenario } from './shrink-scenario.ts';

const MINUTE = 60_000;

function kill(process: string, minute: number): Step {
  return { atMs: minute * MINUTE, kind: 'kill', process };
}

function aScenario(steps: readonly Step[]): Scenario {
  return {
    seed: 7,
    nodes: ['worker-0', 'worker-1', 'worker-2'].map((name) => ({ name, roles: ['worker'] })),
    workloads: [
      { name: 'web', replicas: 2, minAvailable: 1 },
      { name: 'batch', replicas: 2 },
    ],
    times: { bootMs: 1, shutDownMs: 1, pullMs: 1, stageMs: 1 },
    steps,
    lengthMs: 40 * MINUTE,
  };
}

const MANY = Array.from({ length: 20 }, (_, minute) => kill('controller/0', minute));
const names = ({ nodes }: Scenario) => nodes.map(({ name }) => name);

describe('making a scenario smaller', () => {
  it('keeps only the steps that the failure needs, in their order', async () => {
    const isNeeded = ({ atMs }: Step) => atMs === 3 * MINUTE || atMs === 17 * MINUTE;
    const fails = async ({ steps }: Scenario) => steps.filter(isNeeded).length === 2;
    const { scenario, isMinimal } = await shrinkScenario(aScenario(MANY), { fails, maxRuns: 1_000 });
    expect([scenario.steps, isMinimal]).toEqual([MANY.filter(isNeeded), true]);
  });

  it('needs far fewer runs than there are subsets, and runs none of them twice', async () => {
    const tried = new Set<string>();
    const fails = async (scenario: Scenario) => {
      expect(tried).not.toContain(JSON.stringify(scenario));
      tried.add(JSON.stringify(scenario));
      return scenario.steps.some(({ atMs }) => atMs === 5 * MINUTE);
    };
    const { runs } = await shrinkScenario(aScenario(MANY), { fails, maxRuns: 1_000 });
    expect(runs).toBe(tried.size);
    expect(runs).toBeLessThan(30);
  });

  it('leaves out nodes, with the steps that are about them', async () => {
    const steps: readonly Step[] = [
      kill('daemon/worker-1', 1),
      { atMs: 2 * MINUTE, kind: 'cordon', node: 'worker-1', isCordoned: true },
      { atMs: 3 * MINUTE, kind: 'power cut', node: 'worker-2', ms: 1 },
    ];
    const fails = async (scenario: Scenario) =>
      names(scenario).includes('worker-2') && scenario.steps.some(({ kind }) => kind === 'power cut');
    const { scenario } = await shrinkScenario(aScenario(steps), { fails, maxRuns: 1_000 });
    expect([names(scenario), scenario.steps.map(({ kind }) => kind)]).toEqual([['worker-2'], ['power cut']]);
  });

  it('keeps at least one node', async () => {
    const { scenario } = await shrinkScenario(aScenario([]), { fails: async () => true, maxRuns: 1_000 });
    expect(scenario.nodes).toHaveLength(1);
  });

  it('leaves out applications, and the steps about their budgets', async () => {
    const steps: readonly Step[] = [{ atMs: 0, kind: 'set budget', workload: 'web', minAvailable: 2 }];
    const fails = async ({ workloads }: Scenario) => workloads.some(({ name }) => name === 'batch');
    const { scenario } = await shrinkScenario(aScenario(steps), { fails, maxRuns: 1_000 });
    expect([scenario.workloads.map(({ name }) => name), scenario.steps]).toEqual([['batch'], []]);
  });

  it('begins and ends earlier, but never before the last step', async () => {
    const fails = async ({ steps }: Scenario) => steps.length === 2;
    const steps = [kill('operator/0', 4), kill('operator/0', 7)];
    const { scenario } = await shrinkScenario(aScenario(steps), { fails, maxRuns: 1_000 });
    expect(scenario.steps.map(({ atMs }) => atMs)).toEqual([0, 3 * MINUTE]);
    expect(scenario.lengthMs).toBe(3 * MINUTE);
  });

  it('keeps the times where the failure depends on them', async () => {
    const fails = async ({ steps, lengthMs }: Scenario) =>
      steps[0]?.atMs === 7 * MINUTE && lengthMs > 10 * MINUTE;
    const { scenario } = await shrinkScenario(aScenario([kill('operator/0', 7)]), { fails, maxRuns: 1_000 });
    expect([scenario.steps[0]?.atMs, scenario.lengthMs]).toEqual([7 * MINUTE, 20 * MINUTE]);
  });

  it('stops at the limit of runs, with the smallest that it has found', async () => {
    let runs = 0;
    const fails = async () => {
      runs += 1;
      return true;
    };
    const shrunk = await shrinkScenario(aScenario(MANY), { fails, maxRuns: 2 });
    expect([runs, shrunk.runs, shrunk.isMinimal, shrunk.scenario.steps.length]).toEqual([2, 2, false, 0]);
  });

  it('returns the scenario itself where nothing smaller fails', async () => {
    const scenario = aScenario(MANY);
    const shrunk = await shrinkScenario(scenario, { fails: async () => false, maxRuns: 1_000 });
    expect(shrunk.scenario).toBe(scenario);
  });
});
