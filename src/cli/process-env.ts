/** What a command that runs until it is stopped works with: it logs as klog does, and its signal is that of the process. */
import { type Env, systemClock, systemRandom } from '../base/env.ts';
import { createKlog } from './klog.ts';
import type { Ports } from './ports.ts';

/** `component`: the source of its log lines, as `daemon.go`. */
export function processEnv({ onStop, stderr: write, pid }: Ports, component: string): Env {
  const stopping = new AbortController();
  onStop(() => stopping.abort());
  const log = createKlog({ write, clock: systemClock, pid, component });
  return { clock: systemClock, random: systemRandom, log, signal: stopping.signal };
}
