/**
 * A deterministic `Env`: a virtual clock, seeded randomness, recorded log lines.
 */
import type { Env, Log, LogFields, Random } from '../../src/base/env.ts';
import { VirtualClock } from './virtual-clock.ts';

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

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, fast, and good enough to spread delays.
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const hex = () => word().toString(16).padStart(8, '0');
  return {
    next: () => word() / 2 ** 32,
    uuid() {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()];
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
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
export async function meanwhile<T>(env: VirtualEnv, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await env.clock.advance(1);
  }
  return await work;
}
