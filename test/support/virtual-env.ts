/**
 * A deterministic `Env`: a virtual clock, seeded randomness, recorded log lines.
 */
import type { Env, Log, LogFields } from '../../src/base/env.ts';
import { meanwhile as meanwhileOf } from '../../src/simulation/installation-node.ts';
import { seededRandom } from '../../src/simulation/seeded-random.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

export { seededRandom };

export type LogLine = {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  readonly fields: LogFields;
};

export type VirtualEnv = Env & {
  readonly clock: VirtualClock;
  readonly lines: readonly LogLine[];
  /** Aborts the signal that stops the process. */
  readonly stop: () => void;
};

export type VirtualEnvOptions = { readonly seed?: number; readonly clock?: VirtualClock };

export function virtualEnv({ seed = 1, clock = new VirtualClock() }: VirtualEnvOptions = {}): VirtualEnv {
  const stopping = new AbortController();
  const lines: LogLine[] = [];
  return {
    clock,
    random: seededRandom(seed),
    log: keepingLog(lines),
    signal: stopping.signal,
    lines,
    stop: () => stopping.abort(),
  };
}

function keepingLog(lines: LogLine[]): Log {
  const keep =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
    };
  return { error: keep('error'), warn: keep('warn'), info: keep('info'), debug: keep('debug') };
}

/** Awaits work that takes real time, such as reading files, while virtual time advances. */
export function meanwhile<T>({ clock }: VirtualEnv, work: Promise<T>): Promise<T> {
  return meanwhileOf(clock, work);
}
