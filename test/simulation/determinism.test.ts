import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { areEqual, traceHashes } from '../../scripts/sim/check-determinism.ts';
import type { Job } from '../../scripts/sim/jobs.ts';
import { bundleSimulator, type SimulatorBundle } from '../../scripts/sim/simulator-bundle.ts';
import { SimulatorProcess } from '../../scripts/sim/simulator-process.ts';
import { SIMULATION_LIMIT_MS } from './simulations.ts';

/** With faults of all kinds, the last one with image builds. `npm run sim -- --check-determinism` takes a hundred. */
const SEEDS = [4, 7, 8, 5];

describe('a simulation', () => {
  let bundle: SimulatorBundle;
  let processes: readonly [SimulatorProcess, SimulatorProcess];

  beforeAll(async () => {
    bundle = await bundleSimulator('determinism');
    processes = [new SimulatorProcess(bundle.path), new SimulatorProcess(bundle.path)];
  });

  afterAll(() => {
    for (const process of processes) process.stop();
    bundle.remove();
  });

  it(
    'has the same trace for the same seed, twice in one process and in another one, whatever ran before',
    async () => {
      const jobs = SEEDS.map((seed): Job => ({ what: { kind: 'seed', seed, mix: {} }, lines: 'last' }));
      const hashes = await traceHashes(processes, jobs);
      expect(hashes.map((ofSeed) => [ofSeed.length, areEqual(ofSeed)])).toEqual(SEEDS.map(() => [3, true]));
      expect(new Set(hashes.map(([first]) => first)).size).toBe(SEEDS.length);
    },
    SIMULATION_LIMIT_MS,
  );
});

describe('hashes of traces', () => {
  it('are equal only where all of them are, and all runs came to their end', () => {
    expect([areEqual(['a', 'a', 'a']), areEqual(['a', 'a', 'b']), areEqual(['', '', ''])]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
