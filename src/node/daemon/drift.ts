/**
 * Notices when somebody changes by hand what a config put on the disk, and when it is mended.
 *
 *     watch ──something may have changed──> check files and units ──> all is well
 *                                                └──> Degraded, with what changed ──mended: the watch wakes us──> well
 *
 * Runs while nothing else changes the disk: from the end of an update, or of the first look, to the next update.
 */

import { FORCE_FILE } from '../../api/index.ts';
import { expectedDisk, type NodeConfig, whatToObserve } from '../plan/index.ts';
import type { DaemonContext } from './context.ts';
import { type Memory, neededConfig, type Observation } from './observe.ts';
import { subject } from './os-events.ts';
import { again, failed, type TickOutcome } from './outcome.ts';
import { pathsOf } from './step-files.ts';
import { validate } from './validate.ts';

export class DriftWatch {
  readonly #context: DaemonContext;
  readonly #memory: Memory;
  readonly #wake: () => void;
  #watched: { readonly config: NodeConfig; readonly end: () => void } | undefined;

  constructor(context: DaemonContext, memory: Memory, wake: () => void) {
    this.#context = context;
    this.#memory = memory;
    this.#wake = wake;
  }

  /** Whether it begins now: what changed before anybody watched is found only by looking. */
  async start(config: NodeConfig, { node }: Pick<Observation, 'node'>): Promise<boolean> {
    if (this.#watched?.config === config) return false;
    this.stop({ node });
    const { host, env, log, events } = this.#context;
    const ending = new AbortController();
    const end = () => ending.abort();
    this.#watched = { config, end };
    // The process ends its watches with itself.
    env.signal.addEventListener('abort', end, { once: true });
    const paths = new Set([
      ...whatToObserve(expectedDisk(config)).paths.map(({ path }) => path),
      ...pathsOf(config),
      FORCE_FILE,
    ]);
    await host.files.watch([...paths], () => this.#changed(), ending.signal);
    this.#memory.mayHaveDrifted = true;
    log.line('Config Drift Monitor started');
    const about = subject(node);
    const text = `Config Drift Monitor started, watching against ${config.name}`;
    if (about !== undefined) events.normal(about, 'ConfigDriftMonitorStarted', text);
    return true;
  }

  stop({ node }: Pick<Observation, 'node'>): void {
    if (this.#watched === undefined) return;
    const { env, log, events } = this.#context;
    const { end } = this.#watched;
    this.#watched = undefined;
    env.signal.removeEventListener('abort', end);
    end();
    log.line('Config Drift Monitor has shut down');
    const about = subject(node);
    if (about !== undefined)
      events.normal(about, 'ConfigDriftMonitorStopped', 'Config Drift Monitor stopped');
  }

  #changed(): void {
    this.#memory.mayHaveDrifted = true;
    this.#wake();
  }
}

export async function checkDrift(
  context: DaemonContext,
  memory: Memory,
  seen: Observation,
): Promise<TickOutcome> {
  const { host, log, metrics, env } = context;
  // Before anything is called looked at: the cluster may have to be asked, and not answer.
  const config = await neededConfig(context, memory, seen);
  memory.mayHaveDrifted = false;
  if (config === undefined) return again();
  const { problem } = await validate(host, config, 'files');
  if (problem === undefined) {
    metrics.set('mcd_config_drift', 0);
    return again();
  }
  metrics.set('mcd_config_drift', Math.floor(env.clock.now() / 1000));
  log.error(`Config drift detected: ${problem.explained}`);
  const event = { reason: 'ConfigDriftDetected', message: problem.explained } as const;
  return failed({ error: problem.message, event });
}
