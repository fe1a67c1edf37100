/**
 * The seeds of `npm test`, in several files, so that workers share them. A few of them build OS images (1, 5, 10, 20). `npm run sim` runs more.
 */
import { describe, expect, it } from 'vitest';
import { replayCommand } from '../../scripts/sim/sim-options.ts';
import { generateScenario } from '../../src/simulation/index.ts';
import { failureOf, SIMULATION_LIMIT_MS } from './simulations.ts';

const SEEDS = 24;
const FILES = 4;

/** The seeds of one file: `part` counts from 1. */
export function simulateSeeds(part: 1 | 2 | 3 | 4): void {
  const all = Array.from({ length: SEEDS }, (_, index) => index + 1);
  describe('a simulated cluster', () => {
    it.each(all.filter((seed) => seed % FILES === part % FILES))(
      'keeps every promise and converges with seed %i',
      async (seed) => {
        expect(await failureOf(generateScenario(seed), replayCommand(seed, {}))).toBe('');
      },
      SIMULATION_LIMIT_MS,
    );
  });
}
