/**
 * Runs a simulator with a known mistake until a checker catches it.
 */
import type { Mutant } from '../../test/mutants/index.ts';
import { bundleSimulator } from './simulator-bundle.ts';
import { type SimulatorPool, SimulatorProcess } from './simulator-process.ts';

export type Caught = { readonly seed: number; readonly checker: string; readonly text: string };

type Hunt = {
  /** Without the mistake: what fails there too was not caught. */
  readonly original: SimulatorPool;
  readonly from: number;
  readonly seeds: number;
};

/** Undefined where no seed catches it. Throws where the mistake does not apply to the sources. */
export async function huntMutant(
  mutant: Mutant,
  { original, from, seeds }: Hunt,
): Promise<Caught | undefined> {
  const bundle = await bundleSimulator(mutant.name, mutant.patches);
  const simulator = new SimulatorProcess(bundle.path);
  try {
    for (const seed of seedsToTry(mutant, from, seeds)) {
      const job = { what: { kind: 'seed', seed, mix: {} }, lines: 'last' } as const;
      const { violations } = await simulator.run(job);
      if (violations.length === 0) continue;
      const usual = new Set((await original.run(job)).violations.map(({ checker }) => checker));
      const found = violations.find(({ checker }) => !usual.has(checker));
      if (found !== undefined) return { seed, checker: found.checker, text: found.text };
    }
    return undefined;
  } finally {
    simulator.stop();
    bundle.remove();
  }
}

function seedsToTry({ seed }: Mutant, from: number, count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => from + index);
  return seed === undefined || !all.includes(seed) ? all : [seed, ...all.filter((one) => one !== seed)];
}
