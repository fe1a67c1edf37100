/**
 * `npm run sim`: simulated clusters, from seeds. See `--help` and docs/simulation.md.
 */
import { Failure } from '../../src/base/errors.ts';
import { checkDeterminism } from './check-determinism.ts';
import { currentCommit } from './commit.ts';
import { endWithInterrupts } from './interrupts.ts';
import { runSeeds } from './run-seeds.ts';
import { parseSimOptions, SIM_HELP, type SimOptions } from './sim-options.ts';
import { bundleSimulator } from './simulator-bundle.ts';
import { SimulatorPool } from './simulator-process.ts';

try {
  const options = parseSimOptions(process.argv.slice(2));
  if (options === undefined) console.log(SIM_HELP);
  else process.exitCode = (await run(options)) === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`sim: ${error.message}\nSee npm run sim -- --help`);
  process.exitCode = 2;
}

async function run(options: SimOptions): Promise<number> {
  endWithInterrupts();
  const { path } = await bundleSimulator('sim');
  if (options.isDeterminismChecked) return await checkDeterminism(options, path);
  // Lines of several at once could not be told apart.
  const count = options.isTraced ? 1 : Math.min(options.jobs, options.seeds);
  const pool = new SimulatorPool(path, count);
  try {
    return await runSeeds({ options, pool, commit: currentCommit() });
  } finally {
    pool.stop();
  }
}
