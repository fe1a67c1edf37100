import { describe, expect, it } from 'vitest';
import type { PoolForecast, Simulation } from '../../simulation/index.ts';
import { simulationText } from './simulation-text.ts';

const aPool = (name: string, overrides: Partial<PoolForecast> = {}): PoolForecast => ({
  ...{ name, nodes: 3, sent: 0, isPaused: false, unfinished: [], ...overrides },
});

function aSimulation(...pools: readonly PoolForecast[]): Simulation {
  const shown = { seed: 1, hasEnded: false, durationMs: 0, pools: [], nodes: [], problems: [] };
  return {
    ...{ runs: 1, ended: 0, outcome: 'blocked', pools, shown, times: { kind: 'sandbox', speed: 10 } },
    ...{ nodes: [], refusals: [], failures: [], blockers: [], problems: [], notes: [], leftOut: [] },
  };
}

function textOf(...pools: readonly PoolForecast[]): readonly string[] {
  const view = { width: 120, hasColors: false, isVerbose: false, whatIfs: [] };
  return simulationText(aSimulation(...pools), view);
}

describe('the text of a simulation that is blocked', () => {
  it('counts the nodes of pools that the change moves, and says which of them were sent', () => {
    const worker = aPool('worker', { sent: 1, unfinished: ['worker-0', 'worker-1'] });
    expect(textOf(aPool('master'), worker).slice(0, 3)).toEqual([
      'blocked: 2 of 3 nodes of pool worker are left behind',
      '',
      'pool worker: 1 of 3 nodes sent, left behind: worker-0, worker-1',
    ]);
  });

  it('counts the nodes of several pools together', () => {
    const pools = [aPool('infra', { nodes: 2, sent: 2 }), aPool('worker', { unfinished: ['worker-0'] })];
    expect(textOf(...pools)[0]).toBe('blocked: 1 of 5 nodes of 2 pools is left behind');
  });

  it('does not speak of nodes where none is left behind', () => {
    expect(textOf(aPool('worker'))[0]).toBe(
      'blocked: no node is left behind, but not every pool reports that it is updated',
    );
  });
});
