/**
 * Simulations in tests: one installation for all files of a worker.
 */
import { currentCommit } from '../../scripts/sim/commit.ts';
import { failureText } from '../../scripts/sim/failure-text.ts';
import { LastLines } from '../../scripts/sim/last-lines.ts';
import { runScenario, type Scenario } from '../../src/simulation/index.ts';
import { type Installation, installOnce } from '../../src/simulation/installation-node.ts';

/** One of them takes seconds on a quiet core, and machines of tests are not quiet. */
export const SIMULATION_LIMIT_MS = 15 * 60_000;

let installing: Promise<Installation> | undefined;

/** The failure as text with the command that replays it; empty where there is none. */
export async function failureOf(scenario: Scenario, replay: string): Promise<string> {
  installing ??= installOnce('manifests');
  const last = new LastLines();
  const { seed, violations, traceHash } = await runScenario(scenario, {
    installation: await installing,
    onLine: last.take,
  });
  if (violations.length === 0) return '';
  return failureText(
    { seed, violations, traceHash, lines: last.lines, scenario, cpuMs: 0 },
    { commit: currentCommit(), replay },
  );
}
