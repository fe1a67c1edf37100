/**
 * Runs a scenario from its first moment to its end, and says what went wrong: what a checker found, or what did not converge.
 */
import { Checkers, type Violation } from './checkers/checkers.ts';
import { type SimulatedCluster, startCluster } from './cluster/cluster.ts';
import type { Installation } from './installation-node.ts';
import { Script } from './scenario/carry-out.ts';
import { hasImageMode, type Scenario } from './scenario/scenario.ts';
import { whatIsLeft } from './what-is-left.ts';

export type ScenarioResult = {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  /** Lines of the trace, and the last of them. */
  readonly traceLines: number;
  readonly lastLines: readonly string[];
  /** Of virtual time, from the end of the faults to the end of everything. */
  readonly convergedMs: number;
  readonly virtualMs: number;
};

type RunOptions = {
  readonly installation: Installation;
  readonly onLine?: ((line: string) => void) | undefined;
};

const MINUTE = 60_000;
const FIRST_LIMIT_MS = 30 * MINUTE;
/** Once faults have stopped, all pools are updated within this time. */
const CONVERGENCE_LIMIT_MS = 4 * 60 * MINUTE;
/** Between looks at the cluster. */
const LOOK_MS = 10_000;
/** Longer than the window in which changes are collected, and than what may still be on its way. */
const REST_MS = 3 * MINUTE;
const LAST_LINES = 60;

export async function runScenario(
  scenario: Scenario,
  { installation, onLine }: RunOptions,
): Promise<ScenarioResult> {
  const checkers = new Checkers();
  const { seed, nodes, workloads, times } = scenario;
  const cluster = await startCluster({
    seed,
    installation,
    nodes,
    workloads,
    times,
    isImageMode: hasImageMode(scenario),
    observer: checkers,
    onLine,
  });
  const { clock, trace } = cluster;
  const script = new Script(cluster, scenario);
  checkers.begin(cluster, script.people);
  let convergedMs = 0;
  if (await converges(cluster, checkers, FIRST_LIMIT_MS)) {
    script.begin();
    await clock.advance(scenario.lengthMs);
    trace.add('all faults end');
    await cluster.settled(script.heal());
    const healedMs = clock.monotonic();
    checkers.onPeace();
    await clock.advance(REST_MS);
    if (await converges(cluster, checkers, CONVERGENCE_LIMIT_MS)) await checkers.atEnd();
    else checkers.violate(`not converged: ${whatIsLeft(cluster, checkers)}`);
    convergedMs = clock.monotonic() - healedMs;
  } else checkers.violate(`the first rollout has not ended: ${whatIsLeft(cluster, checkers)}`);
  const result: ScenarioResult = {
    ...{ seed, convergedMs, virtualMs: clock.monotonic(), violations: checkers.violations },
    ...{ traceHash: trace.hash, traceLines: trace.count, lastLines: trace.last(LAST_LINES) },
  };
  await cluster.stop();
  return result;
}

async function converges(cluster: SimulatedCluster, checkers: Checkers, limitMs: number): Promise<boolean> {
  const { clock } = cluster;
  const untilMs = clock.monotonic() + limitMs;
  // What is not updated has to stay so: a look at one moment could be lucky.
  let calmSinceMs: number | undefined;
  while (clock.monotonic() < untilMs) {
    await clock.advance(LOOK_MS);
    if (whatIsLeft(cluster, checkers) !== '') calmSinceMs = undefined;
    else calmSinceMs ??= clock.monotonic();
    if (calmSinceMs !== undefined && clock.monotonic() - calmSinceMs >= 3 * LOOK_MS) return true;
  }
  return false;
}
