/**
 * Detects manual changes to what a config put on the disk, and their repair.
 *
 *     watch ──something may have changed──> check files and units ──> they match
 *                                                └──> Degraded ──repaired: the watch wakes the daemon──> they match
 *
 * It runs between updates, while the daemon itself changes nothing on the disk.
 */

import { FORCE_FILE } from '../../api/index.ts';
import { expectedDisk, type NodeConfig, pathsOf, whatToObserve } from '../plan/index.ts';
import type { DaemonContext } from './context.ts';
import { type Memory, type Observation, requireConfig } from './observe.ts';
import { again, failed, type TickOutcome } from './outcome.ts';
import { eventSubject } from './update-events.ts';
import { validate } from './validate.ts';

export class DriftMonitor {
  readonly #context: DaemonContext;
  readonly #memory: Memory;
  readonly #wake: () => void;
  #watched: { readonly config: NodeConfig; readonly end: () => void } | undefined;

  constructor(context: DaemonContext, memory: Memory, wake: () => void) {
    this.#context = context;
    this.#memory = memory;
    this.#wake = wake;
  }

  /** Returns whether the watch begins now: earlier changes are only found by a check. */
  async start(config: NodeConfig, { node }: Pick<Observation, 'node'>): Promise<boolean> {
    if (this.#watched?.config === config) return false;
    this.stop({ node });
    const { host, env, log, events } = this.#context;
    const ending = new AbortController();
    const end = () => ending.abort();
    this.#watched = { config, end };
    // The watch ends with the process.
    env.signal.addEventListener('abort', end, { once: true });
    const paths = new Set([
      ...whatToObserve(expectedDisk(config)).paths.map(({ path }) => path),
      ...pathsOf(config),
      FORCE_FILE,
    ]);
    await host.files.watch([...paths], () => this.#changed(), ending.signal);
    this.#memory.mayHaveDrifted = true;
    log.line('Config Drift Monitor started');
    const about = eventSubject(node);
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
    const about = eventSubject(node);
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
  snapshot: Observation,
): Promise<TickOutcome> {
  const { log, metrics, env } = context;
  // First, as it may have to be fetched, which may fail: the check is then still due.
  const config = await requireConfig(context, memory, snapshot);
  memory.mayHaveDrifted = false;
  if (config === undefined) return again();
  const { problem } = await validate(context, config, 'files');
  if (problem === undefined) {
    metrics.set('mcd_config_drift', 0);
    return again();
  }
  metrics.set('mcd_config_drift', Math.floor(env.clock.now() / 1000));
  log.error(`Config drift detected: ${problem.explained}`);
  const event = { reason: 'ConfigDriftDetected', message: problem.explained } as const;
  return failed({ error: problem.message, event });
}
