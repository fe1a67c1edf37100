/**
 * A simulator process: installs the manifests once, then runs one job after the other. Bundled by `simulator-bundle.ts`, with or without a
 * mutant, and started by `simulator-process.ts`.
 */
import {
  generateScenario,
  runScenario,
  type Scenario,
  type ScenarioResult,
} from '../../src/simulation/index.ts';
import { installOnce } from '../../src/simulation/installation-node.ts';
import { type Answer, INTERNAL_ERRORS, type Job, type JobResult } from './jobs.ts';
import { LastLines } from './last-lines.ts';

const installation = await installOnce('manifests');

/** What is known of the run that goes on. */
type Run = {
  readonly job: Job;
  scenario?: Scenario;
  readonly last: LastLines;
  readonly began: NodeJS.CpuUsage;
};
let present: Run | undefined;

process.on('message', (job: Job) => void run(job));
// The runner decides: a terminal sends Ctrl-C to all processes of a group.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('uncaughtException', (error) => crash(error));
process.on('unhandledRejection', (error) => crash(error));

answer({ kind: 'ready' });

async function run(job: Job): Promise<void> {
  const running: Run = { job, last: new LastLines(), began: process.cpuUsage() };
  present = running;
  try {
    const { what } = job;
    running.scenario = what.kind === 'seed' ? generateScenario(what.seed, what.mix) : what.scenario;
    const result = await runScenario(running.scenario, { installation, onLine: lineTaker(running) });
    present = undefined;
    answer({ kind: 'result', result: resultOf(running, result) });
  } catch (error) {
    crash(error);
  }
}

function lineTaker({ job, last }: Run): (line: string) => void {
  if (job.lines === 'print') return (line) => process.stdout.write(`${line}\n`);
  return last.take;
}

function resultOf(running: Run, { seed, violations, traceHash }: Outcome): JobResult {
  const { scenario, last, began } = running;
  const { user, system } = process.cpuUsage(began);
  const isFailed = violations.length > 0;
  const lines = isFailed ? last.lines : [];
  const failing = isFailed && scenario !== undefined ? { scenario } : {};
  return { seed, violations, ...failing, traceHash, lines, cpuMs: (user + system) / 1000 };
}

type Outcome = Pick<ScenarioResult, 'seed' | 'violations' | 'traceHash'>;

/** The rest of the run cannot be stopped, and would disturb the next one: the process ends. */
function crash(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (present === undefined) throw error;
  const running = present;
  const { what } = running.job;
  const seed = what.kind === 'seed' ? what.seed : what.scenario.seed;
  const violations = [{ atMs: 0, checker: INTERNAL_ERRORS, text }];
  answer({ kind: 'crashed', result: resultOf(running, { seed, violations, traceHash: '' }) }, () =>
    process.exit(1),
  );
}

function answer(message: Answer, then?: () => void): void {
  process.send?.(message, undefined, undefined, then);
}
