/**
 * `npm run test:mutants`: switches on one known mistake after the other, and runs seeds until a checker catches it. See `--help`.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Failure } from '../../src/base/errors.ts';
import { MUTANTS, type Mutant } from '../../test/mutants/index.ts';
import { type Caught, huntMutant } from './hunt-mutant.ts';
import { endWithInterrupts } from './interrupts.ts';
import { durationText } from './progress.ts';
import { usage, wholeNumber } from './sim-options.ts';
import { bundleSimulator } from './simulator-bundle.ts';
import { SimulatorPool } from './simulator-process.ts';

const MOST_SEEDS = 1_000;
const HELP = `Usage: npm run test:mutants -- [OPTIONS]

Applies each known mistake of test/mutants to the simulator, one at a time, and runs seeds until a checker catches it. A seed counts only where the
same checker finds nothing without the mistake. A mistake that is not caught fails the suite, and so does one that no longer applies.

  --seeds N      how many seeds to try for each mistake, at most (${MOST_SEEDS})
  --from S       the first seed (1)
  --only A,B,…   only these mistakes
  --jobs J       mistakes at a time (as many as there are cores)
  --list         print the mistakes and why they matter
  --help         print this help

Exit codes: 0 all are caught, 1 some are not, 2 an option is wrong. See docs/simulation.md.`;

type Options = ReturnType<typeof parsed>;
type Row = {
  readonly name: string;
  readonly checker: string;
  readonly seed: string;
  readonly seconds: string;
};
const NOT_CAUGHT = '-';
const TITLES: Row = { name: 'MISTAKE', checker: 'CAUGHT BY', seed: 'SEED', seconds: 'SECONDS' };

try {
  const options = parsed(process.argv.slice(2));
  if (options.isHelp) console.log(HELP);
  else if (options.isList)
    for (const mutant of options.mutants) console.log(`${mutant.name}\n  ${mutant.why}`);
  else process.exitCode = await run(options);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`mutants: ${error.message}\nSee npm run test:mutants -- --help`);
  process.exitCode = 2;
}

async function run({ mutants, seeds, from, jobs }: Options): Promise<0 | 1> {
  endWithInterrupts();
  const beganMs = performance.now();
  const { path } = await bundleSimulator('original');
  const original = new SimulatorPool(path, 1);
  const left = [...mutants];
  const rows: Row[] = [];
  const work = async () => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const row = await hunt(mutant, { original, from, seeds });
      rows.push(row);
      console.log(rowText(row));
    }
  };
  console.log(rowText(TITLES));
  await Promise.all(Array.from({ length: Math.min(jobs, mutants.length) }, work));
  original.stop();
  const missed = rows.filter(({ seed }) => seed === NOT_CAUGHT);
  const time = durationText(performance.now() - beganMs);
  console.log(`${rows.length - missed.length} of ${rows.length} mistakes are caught, in ${time}`);
  for (const { name, checker } of missed)
    console.log(`not caught: ${name}${checker === '' ? '' : `: ${checker}`}`);
  return missed.length === 0 ? 0 : 1;
}

type Hunt = { readonly original: SimulatorPool; readonly from: number; readonly seeds: number };

async function hunt(mutant: Mutant, { original, from, seeds }: Hunt): Promise<Row> {
  const beganMs = performance.now();
  const { name } = mutant;
  let caught: Caught | undefined;
  let problem = '';
  try {
    caught = await huntMutant(mutant, { original, from, seeds });
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const seconds = Math.round((performance.now() - beganMs) / 1000).toString();
  return { name, checker: caught?.checker ?? problem, seed: caught?.seed.toString() ?? NOT_CAUGHT, seconds };
}

function rowText({ name, checker, seed, seconds }: Row): string {
  return `${name.padEnd(44)} ${checker.padEnd(20)} ${seed.padStart(5)} ${seconds.padStart(8)}`;
}

function parsed(args: readonly string[]) {
  const values = parse(args);
  const names = values.only?.split(',');
  const unknown = names?.find((name) => MUTANTS.every((mutant) => mutant.name !== name));
  if (unknown !== undefined)
    throw usage(`--only: there is no mistake ${JSON.stringify(unknown)}; see --list`);
  return {
    isHelp: values.help,
    isList: values.list,
    mutants: MUTANTS.filter(({ name }) => names === undefined || names.includes(name)),
    seeds: wholeNumber('--seeds', values.seeds, [1, MOST_SEEDS]),
    from: wholeNumber('--from', values.from, [1, MOST_SEEDS]),
    jobs: wholeNumber('--jobs', values.jobs, [1, 256]),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        seeds: { type: 'string', default: String(MOST_SEEDS) },
        from: { type: 'string', default: '1' },
        only: { type: 'string' },
        jobs: { type: 'string', default: String(availableParallelism()) },
      },
    }).values;
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}
