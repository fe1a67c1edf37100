/**
 * Runs seeds three times, in two processes and between other seeds, and compares the hashes of their traces.
 */
import type { Job } from './jobs.ts';
import { durationText, Progress } from './progress.ts';
import { replayCommand, type SimOptions } from './sim-options.ts';
import { SimulatorProcess } from './simulator-process.ts';

/**
 * The hashes of each job's runs: in one process in their order, in the other one backwards, so that different runs have gone before; and every job
 * once more in one of them.
 */
export async function traceHashes(
  [one, other]: readonly [SimulatorProcess, SimulatorProcess],
  jobs: readonly Job[],
): Promise<readonly (readonly string[])[]> {
  const hashes = jobs.map((): string[] => []);
  const inOrder = async (simulator: SimulatorProcess, numbers: readonly number[]) => {
    for (const number of numbers) {
      const job = jobs[number];
      if (job !== undefined) hashes[number]?.push((await simulator.run(job)).traceHash);
    }
  };
  const numbers = [...jobs.keys()];
  await Promise.all([
    inOrder(one, [...numbers, ...numbers.filter((number) => number % 2 === 0)]),
    inOrder(other, [...numbers.toReversed(), ...numbers.filter((number) => number % 2 === 1)]),
  ]);
  return hashes;
}

/** An empty hash is of a run that did not come to its end. */
export function areEqual(hashes: readonly string[]): boolean {
  return hashes.every((hash) => hash !== '' && hash === hashes[0]);
}

/** Returns how many differ. */
export async function checkDeterminism(
  { from, seeds, mix, jobs }: SimOptions,
  bundle: string,
): Promise<number> {
  const beganMs = performance.now();
  const progress = new Progress({ total: seeds, output: process.stderr, nowMs: () => performance.now() });
  const left = Array.from({ length: seeds }, (_, index) => from + index);
  let different = 0;
  const work = async () => {
    const pair = [new SimulatorProcess(bundle), new SimulatorProcess(bundle)] as const;
    for (let batch = left.splice(0, BATCH); batch.length > 0; batch = left.splice(0, BATCH)) {
      const all = await traceHashes(
        pair,
        batch.map((seed) => ({ what: { kind: 'seed', seed, mix }, lines: 'last' })),
      );
      for (const [index, hashes] of all.entries()) {
        const isFailed = !areEqual(hashes);
        if (isFailed) {
          different += 1;
          progress.clear();
          console.log(`seed ${batch[index]} is not deterministic: ${hashes.join(' ')}; compare two runs of`);
          console.log(`  ${replayCommand(batch[index] ?? 0, mix)}`);
        }
        progress.add({ isFailed });
      }
    }
    for (const simulator of pair) simulator.stop();
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.floor(jobs / 2)) }, work));
  progress.clear();
  const time = durationText(performance.now() - beganMs);
  console.log(
    `${seeds} seeds from ${from}, each three times in two processes: ${different} differ, in ${time}`,
  );
  return different;
}

/** Seeds that are run among each other. */
const BATCH = 4;
