/**
 * The options of `npm run sim`.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Failure } from '../../src/base/errors.ts';
import { FAULT_FAMILIES, type FaultFamily, type Mix, USUAL_MINUTES } from '../../src/simulation/index.ts';

export type SimOptions = {
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  readonly mix: Mix;
  readonly isTraced: boolean;
  readonly isShrunk: boolean;
  readonly isDeterminismChecked: boolean;
};

const DEFAULT_SEEDS = 200;
const DETERMINISM_SEEDS = 100;
const MOST_NODES = 5_000;
const MOST_MINUTES = 24 * 60;

export const SIM_HELP = `Usage: npm run sim -- [OPTIONS]

Runs whole clusters in virtual time, one for each seed: the real API server, operator, controllers and daemons, on machines in memory,
with rollouts and faults that follow from the seed. Checkers look at every state that is ever stored; once the faults end, everything has to
converge. The same seed and commit give the same run, byte for byte.

  --seeds N             how many seeds to run (${DEFAULT_SEEDS}; ${DETERMINISM_SEEDS} with --check-determinism)
  --from S              the first seed (1)
  --nodes N             workers of each cluster (a few, by the seed)
  --minutes M           how long changes and faults go on in each cluster, in virtual time (${USUAL_MINUTES}); the shorter, the
                        more happens at once
  --faults A,B,…        only these kinds of faults, or "none" (all):
                        ${FAULT_FAMILIES.join(', ')};
                        with builds every cluster builds its OS images, without it none does (every fifth)
  --jobs J              processes at a time (as many as there are cores)
  --trace               print every line of the trace
  --no-shrink           do not make failing scenarios smaller
  --check-determinism   run every seed three times, in two processes, and compare the traces
  --help                print this help

Examples:

  npm run sim                                      ${DEFAULT_SEEDS} seeds
  npm run sim -- --from 4711 --seeds 1 --trace     one seed, with everything that happens
  npm run sim -- --faults network,crash --nodes 10 larger clusters, and only these faults
  npm run sim -- --minutes 10                      the same faults in a quarter of the time
  npm run sim -- --faults crash,builds             clusters that build their OS images

Exit codes: 0 every seed passes, 1 some fail, 2 an option is wrong. See docs/simulation.md.`;

/** Undefined where help is wanted. */
export function parseSimOptions(args: readonly string[]): SimOptions | undefined {
  const values = parsed(args);
  if (values.help) return undefined;
  const isDeterminismChecked = values['check-determinism'];
  const count = isDeterminismChecked ? DETERMINISM_SEEDS : DEFAULT_SEEDS;
  const faults = values.faults === undefined ? undefined : faultFamilies(values.faults);
  const nodes =
    values.nodes === undefined ? undefined : wholeNumber('--nodes', values.nodes, [1, MOST_NODES]);
  const minutes =
    values.minutes === undefined ? undefined : wholeNumber('--minutes', values.minutes, [1, MOST_MINUTES]);
  return {
    from: wholeNumber('--from', values.from, [0, MOST_SEEDS]),
    seeds: wholeNumber('--seeds', values.seeds ?? String(count), [1, MOST_SEEDS]),
    jobs: wholeNumber('--jobs', values.jobs ?? String(availableParallelism()), [1, MOST_JOBS]),
    mix: {
      ...(nodes === undefined ? {} : { nodes }),
      ...(faults === undefined ? {} : { faults }),
      ...(minutes === undefined ? {} : { minutes }),
    },
    isTraced: values.trace,
    isShrunk: !values['no-shrink'],
    isDeterminismChecked,
  };
}

/** Seeds are 32 bits. */
const MOST_SEEDS = 2 ** 32 - 1;
const MOST_JOBS = 256;

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        seeds: { type: 'string' },
        from: { type: 'string', default: '1' },
        nodes: { type: 'string' },
        minutes: { type: 'string' },
        faults: { type: 'string' },
        jobs: { type: 'string' },
        trace: { type: 'boolean', default: false },
        'no-shrink': { type: 'boolean', default: false },
        'check-determinism': { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

/** Also for other options of numbers. */
export function wholeNumber(option: string, text: string, [low, high]: readonly [number, number]): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw usage(`${option} takes a whole number from ${low} to ${high}, not ${JSON.stringify(text)}`);
}

function faultFamilies(text: string): readonly FaultFamily[] {
  if (text === 'none') return [];
  return text.split(',').map((name) => {
    const family = FAULT_FAMILIES.find((known) => known === name.trim());
    if (family === undefined)
      throw usage(
        `--faults: there is no ${JSON.stringify(name)}; known are ${FAULT_FAMILIES.join(', ')}, and none`,
      );
    return family;
  });
}

export function usage(message: string): Failure {
  return new Failure('usage', 'BadOption', message);
}

/** The command that runs one seed again, with all that happens. */
export function replayCommand(seed: number, { nodes, faults, minutes }: Mix): string {
  const options = [
    ...(nodes === undefined ? [] : [` --nodes ${nodes}`]),
    ...(faults === undefined ? [] : [` --faults ${faults.length === 0 ? 'none' : faults.join(',')}`]),
    ...(minutes === undefined ? [] : [` --minutes ${minutes}`]),
  ];
  return `npm run sim -- --from ${seed} --seeds 1${options.join('')} --trace`;
}
