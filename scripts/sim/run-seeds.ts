/**
 * Runs seeds in simulator processes, prints failures as they come, and makes the first ones smaller.
 */
import { type Scenario, type Shrunk, shrinkScenario, type Violation } from '../../src/simulation/index.ts';
import { failureText, pinnedText } from './failure-text.ts';
import type { JobResult } from './jobs.ts';
import { durationText, Progress } from './progress.ts';
import { replayCommand, type SimOptions } from './sim-options.ts';
import type { SimulatorPool } from './simulator-process.ts';

/** Of failures: more would hide the first. The others are named. */
const MOST_PRINTED = 5;
const MOST_SHRUNK = 3;
const SHRINK_RUNS = 150;

type Context = { readonly options: SimOptions; readonly pool: SimulatorPool; readonly commit: string };

/** Returns how many failed. */
export async function runSeeds(context: Context): Promise<number> {
  const { options, pool } = context;
  const { from, seeds, mix, isTraced, isShrunk } = options;
  const beganMs = performance.now();
  const progress = new Progress({ total: seeds, output: process.stderr, nowMs: () => performance.now() });
  const failures: JobResult[] = [];
  let cpuMs = 0;
  const run = async (seed: number) => {
    const result = await pool.run({ what: { kind: 'seed', seed, mix }, lines: isTraced ? 'print' : 'last' });
    cpuMs += result.cpuMs;
    const isFailed = result.violations.length > 0;
    if (isFailed) {
      failures.push(result);
      progress.clear();
      printFailure(result, failures.length, context);
    }
    progress.add({ isFailed });
  };
  await Promise.all(Array.from({ length: seeds }, (_, index) => run(from + index)));
  progress.clear();
  if (isShrunk) for (const failure of failures.slice(0, MOST_SHRUNK)) await shrink(failure, pool);
  const each = (cpuMs / 1000 / seeds).toFixed(2);
  console.log(
    `${seeds} ${seeds === 1 ? 'seed' : 'seeds'} from ${from}, ${failures.length} failed, in ${durationText(performance.now() - beganMs)} (${each} s of CPU each), commit ${context.commit}`,
  );
  if (failures.length > 0)
    console.log(
      `failed: ${failures
        .map(({ seed }) => seed)
        .sort((a, b) => a - b)
        .join(' ')}`,
    );
  for (const [checker, count] of countByChecker(failures)) console.log(`  ${checker}: ${count}`);
  return failures.length;
}

function printFailure(result: JobResult, count: number, { commit, options: { mix } }: Context): void {
  if (count <= MOST_PRINTED)
    console.log(failureText(result, { commit, replay: replayCommand(result.seed, mix) }));
  else {
    const [first] = result.violations;
    console.log(`seed ${result.seed} fails: ${first?.checker}: ${first?.text.split('\n')[0]}`);
  }
}

/** Seeds by the checker that found something first. */
function countByChecker(failures: readonly JobResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { violations } of failures) {
    const checker = violations[0]?.checker ?? '';
    counts.set(checker, (counts.get(checker) ?? 0) + 1);
  }
  return counts;
}

async function shrink(
  { seed, scenario, violations: [first] }: JobResult,
  pool: SimulatorPool,
): Promise<void> {
  if (scenario === undefined || first === undefined) return;
  console.log(`seed ${seed}: making the scenario smaller, at most ${SHRINK_RUNS} runs …`);
  let found: Violation = first;
  const fails = async (smaller: Scenario) => {
    const { violations } = await pool.run({ what: { kind: 'scenario', scenario: smaller }, lines: 'last' });
    const same = violations.find(({ checker }) => checker === first.checker);
    if (same !== undefined) found = same;
    return same !== undefined;
  };
  const shrunk = await shrinkScenario(scenario, { fails, maxRuns: SHRINK_RUNS });
  console.log(`seed ${seed}: ${sizeText(scenario, shrunk)}\n`);
  console.log(`test/simulation/pinned/seed-${seed}.ts:\n\n${pinnedText(shrunk.scenario, found)}\n`);
}

function sizeText(before: Scenario, { scenario, runs, isMinimal }: Shrunk): string {
  const size = ({ steps, nodes }: Scenario) => `${steps.length} steps on ${nodes.length} nodes`;
  const end = isMinimal ? 'nothing more can be left out' : 'the limit of runs is reached';
  return `from ${size(before)} to ${size(scenario)} in ${runs} runs; ${end}`;
}
