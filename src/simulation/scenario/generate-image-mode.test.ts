import { describe, expect, it } from 'vitest';
import { CLUSTER_FAULTS, FAULT_FAMILIES } from './fault-families.ts';
import { generateScenario } from './generate-scenario.ts';
import { hasImageMode, type Step } from './scenario.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

describe('image mode in generated scenarios', () => {
  it('is part of about a fifth of the seeds', () => {
    const count = SEEDS.filter((seed) => hasImageMode(generateScenario(seed))).length;
    expect(count).toBeGreaterThan(25);
    expect(count).toBeLessThan(60);
  });

  it('is part of every seed where the faults of builds are asked for, and of none where only others are', () => {
    for (const seed of SEEDS) {
      expect(hasImageMode(generateScenario(seed, { faults: ['builds'] }))).toBe(true);
      expect(hasImageMode(generateScenario(seed, { faults: CLUSTER_FAULTS }))).toBe(false);
    }
  });

  it('changes nothing of what else happens in the scenario of a seed', () => {
    for (const seed of SEEDS) {
      const without = generateScenario(seed, { faults: CLUSTER_FAULTS });
      const { steps, ...rest } = generateScenario(seed, { faults: FAULT_FAMILIES });
      expect({ ...rest, steps: steps.filter((step) => !isOfBuilds(step)) }).toEqual(without);
    }
  });

  it('has builds that fail, hang and lose their image, and MachineOSConfigs that are deleted or cannot be built', () => {
    const steps = SEEDS.flatMap((seed) => generateScenario(seed).steps);
    const kinds = new Set(steps.filter(isOfBuilds).map(({ kind }) => kind));
    for (const kind of ['builds fail', 'builds hang', 'lost built image', 'delete os config'])
      expect(kinds).toContain(kind);
    expect(steps.some((step) => step.kind === 'apply os config' && step.version === 0)).toBe(true);
  });
});

function isOfBuilds(step: Step): boolean {
  if ('process' in step) return step.process.startsWith('builder/');
  return /buil[dt]|os config/.test(step.kind);
}
