import { describe, expect, it } from 'vitest';
import { forecastOf } from './forecast.ts';
import type { Rehearsal } from './rehearse.ts';
import type { NodeTimeline, PoolTimeline } from './rollout-timeline.ts';

const MINUTE = 60_000;

function aNode(name: string, overrides: Partial<NodeTimeline> = {}): NodeTimeline {
  return {
    ...{ name, pool: 'worker', sentMs: 0, doneMs: MINUTE, isRebooted: true },
    ...{ phases: [], refusals: [], failures: [], ...overrides },
  };
}

function aPool(overrides: Partial<PoolTimeline> = {}): PoolTimeline {
  return { name: 'worker', nodes: 2, isPaused: false, unfinished: [], updatedMs: MINUTE, ...overrides };
}

function aRun(seed: number, overrides: Partial<Rehearsal> = {}): Rehearsal {
  return {
    ...{ seed, hasEnded: true, durationMs: seed * MINUTE, problems: [] },
    ...{ pools: [aPool()], nodes: [aNode('a'), aNode('b')], ...overrides },
  };
}

describe('a forecast', () => {
  it('has the duration of the runs that ended, and shows one of middle length', () => {
    const stuck = aRun(4, { hasEnded: false, pools: [aPool({ unfinished: ['b'] })] });
    const forecast = forecastOf([aRun(3), aRun(1), stuck, aRun(2)]);
    expect(forecast).toMatchObject({ runs: 4, ended: 3, outcome: 'blocked' });
    expect(forecast.durationMs?.p50).toBe(2 * MINUTE);
    expect(forecast.shown.seed).toBe(2);
  });

  it('names nodes that are left behind in any run', () => {
    const stuck = aRun(2, { hasEnded: false, pools: [aPool({ unfinished: ['b'] })] });
    expect(forecastOf([aRun(1), stuck, aRun(3)]).pools.map(({ unfinished }) => unfinished)).toEqual([['b']]);
  });

  it('is blocked where a paused pool keeps its nodes, although every run ends', () => {
    const paused = aPool({ name: 'infra', isPaused: true, unfinished: ['c'] });
    expect(forecastOf([aRun(1, { pools: [aPool(), paused] })]).outcome).toBe('blocked');
  });

  it('has no duration where no node moves', () => {
    const forecast = forecastOf([aRun(1, { nodes: [] })]);
    expect([forecast.outcome, forecast.durationMs]).toEqual(['none', undefined]);
  });

  it('keeps waits for a budget that last, and leaves out those of every drain', () => {
    const waiting = (pod: string, ms: number) => ({
      ...{ namespace: 'shop', pod, budget: 'web', fromMs: 0, toMs: ms },
    });
    const refusals = [waiting('short', 6_000), waiting('long', 20 * MINUTE)];
    const forecast = forecastOf([aRun(1, { nodes: [aNode('a', { refusals })] }), aRun(2)]);
    expect(forecast.refusals).toEqual([
      expect.objectContaining({
        node: 'a',
        pod: 'long',
        runs: 1,
        waitMs: expect.objectContaining({ p50: 20 * MINUTE }),
      }),
    ]);
  });

  it('counts in how many runs a node fails for the same reason', () => {
    const failures = [{ reason: 'disk full', fromMs: 0, toMs: MINUTE }];
    const failing = { nodes: [aNode('a', { failures })] };
    expect(forecastOf([aRun(1, failing), aRun(2, failing), aRun(3)]).failures).toEqual([
      { node: 'a', reason: 'disk full', runs: 2 },
    ]);
  });
});
